import { inspect } from "node:util";
import { isChatError } from "../../../src/client/errors.ts";

/** Common mistakes. */
export const BAD_INPUTS = [
  "no messages",
  "an empty message",
  "an unknown role",
  "a tool without a name",
  "a choice of an absent tool",
  "a picture that is none",
  "arguments that are not JSON",
  "a value that contains itself",
  "a negative limit",
  "a script that runs dry",
] as const;

export type BadInput = (typeof BAD_INPUTS)[number];

/**
 * Gives the input: it is refused with a typed error, or reported in the vocabulary's own way, to the model or in the log.
 * A text gives the reason why the vocabulary cannot receive such input.
 */
export type Cell = (() => unknown) | string;

/** A vocabulary's row of the table: no cell can be left out. */
export type Row = Readonly<Record<BadInput, Cell>>;

/** Passes a value as JavaScript does, without a check of its type. */
export const given = (value: unknown): never => value as never;

/** A message that holds itself. */
export function aCircle(): Record<string, unknown> {
  const circle: Record<string, unknown> = { role: "user" };
  circle["content"] = [circle];
  return circle;
}

export const HI = [{ role: "user", content: "hi" }];
export const ROBOT = [{ role: "robot", content: "x" }];
/** In OpenAI's form. */
export const tool = (name?: string): object => ({ type: "function", function: { name, parameters: {} } });
export const choiceOf = (name: string): object => ({ type: "function", function: { name } });
export const PICTURE = "data:image/png;base64,not a picture!";
export const pictured = (part: object): object[] => [{ role: "user", content: [part] }];
export const imageUrl = { type: "image_url", image_url: { url: PICTURE } };

/** Returns the failure of a call with the fields that callers use. */
export async function failureOf(
  ask: () => unknown,
): Promise<{ kind: string; where: string | undefined; message: string }> {
  try {
    await ask();
  } catch (error) {
    if (!isChatError(error)) throw error;
    return { kind: error.kind, where: error.where, message: error.message };
  }
  throw new Error("nothing was refused");
}

/** Returns a page with a paragraph for each call: its title, and its result or failure. */
export async function pageOf(calls: readonly (readonly [title: string, cell: Cell])[]): Promise<string> {
  const lines: string[] = [];
  for (const [title, cell] of calls) {
    const outcome = typeof cell === "string" ? `cannot receive it: ${cell}` : await outcomeOf(cell);
    lines.push(`${title}\n  ${outcome}\n`);
  }
  return lines.join("");
}

/** Returns a value as a title has it, on one line. */
export const shown = (value: unknown): string =>
  inspect(value, { depth: 6, compact: true, breakLength: Infinity });

/** Returns what a call gives, or its failure with kind, place, text, and hint. */
export async function outcomeOf(ask: () => unknown): Promise<string> {
  try {
    return `gives ${shown(await ask())}`;
  } catch (error) {
    if (!isChatError(error)) return `${(error as Error).name}: ${(error as Error).message}`;
    const { kind, where, message, hint } = error;
    const place = where === undefined || message.startsWith(`${where}: `) ? "" : ` at ${where}`;
    return `${kind}${place}: ${message}${hint === undefined ? "" : ` (${hint})`}`;
  }
}
