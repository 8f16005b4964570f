import type { Voice } from "./voice.ts";
import type { MadeReply, MadeRequest } from "./wire.ts";

/** Where calls of a family go, and how many of each are wanted. */
export interface Place {
  readonly provider: string;
  /** Prefix of the operation's path, e.g. `/v1`. */
  readonly base: string;
  readonly voice: Voice;
  /** Calls of each form of a chat. */
  readonly most: number;
}

/** A call as a maker gives it. */
export interface GeneratedCall {
  /** Tells calls of one operation apart. */
  readonly name: string;
  readonly request: MadeRequest;
  readonly reply: MadeReply;
}

/** Makes calls of one operation. */
export type Maker = (place: Place) => readonly GeneratedCall[];

export type Makers = Readonly<Record<string, Maker>>;

/** Returns `count` items, made from their index. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The choice that is at an index of a list that begins again at its end. */
export function inTurn<T>(choices: readonly [T, ...T[]], index: number): T {
  return choices[index % choices.length] ?? choices[0];
}
