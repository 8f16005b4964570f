import { isChatError, type ChatErrorKind } from "../../../src/client/errors.ts";

/** What everybody gets wrong some day. */
export const BAD_INPUTS = [
  "no messages",
  "an empty message",
  "an unknown role",
  "a tool without a name",
  "a choice of an absent tool",
  "a picture that is none",
  "arguments that are no JSON",
  "a value that contains itself",
  "a negative limit",
  "a script that runs dry",
] as const;

export type BadInput = (typeof BAD_INPUTS)[number];

/** It is refused with a typed error that says where and what. */
export interface Refused {
  readonly ask: () => unknown;
  /** Default "validation". */
  readonly kind?: ChatErrorKind;
  /** Left out where the words say it, as the original has them. */
  readonly where?: string;
  readonly says: RegExp;
}

/** It is told in the vocabulary's own way: to the model, or in the log. */
export interface Told {
  readonly tells: () => unknown;
  readonly says: RegExp;
}

/** A text says why the vocabulary cannot be given such a thing. */
export type Cell = Refused | Told | string;

/** A vocabulary's row of the table: no cell can be left out. */
export type Row = Readonly<Record<BadInput, Cell>>;

/** As it comes from JavaScript, where nobody looked at its type. */
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

/** What a call fails with, as far as a caller looks at it. */
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
