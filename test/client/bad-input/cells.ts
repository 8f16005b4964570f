import { isChatError, type ChatErrorKind } from "../../../src/client/errors.ts";

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

/** The input is refused with a typed error that has its place and fault. */
export interface RefusedCell {
  readonly ask: () => unknown;
  /** Default "validation". */
  readonly kind?: ChatErrorKind;
  /** Left out where the words say it, as the original has them. */
  readonly where?: string;
  readonly says: RegExp;
}

/** The input is reported in the vocabulary's own way: to the model, or in the log. */
export interface ReportedCell {
  readonly tells: () => unknown;
  readonly says: RegExp;
}

/** A text gives the reason why the vocabulary cannot receive such input. */
export type Cell = RefusedCell | ReportedCell | string;

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
