import type { TestRef } from "./call.ts";

const DIGITS = 8;

/** The beginning of a key, enough to name it to `show`: "3f9a2c41". */
export function keyDigits(key: string): string {
  const start = "sha256:".length;
  return key.slice(start, start + DIGITS);
}

/** A key for a reader: "3f9a2c41…". */
export const shortKey = (key: string): string => `${keyDigits(key)}…`;

/** The place of a recording among those of its key. */
export interface TakeOf {
  /** From 1. */
  readonly k: number;
  readonly of: number;
}

/** "take 2 of 3". */
export const takeText = ({ k, of }: TakeOf): string => `take ${k} of ${of}`;

/** "tests/chat.test.ts:12", or the file alone where the line is not known. */
export const testPlace = ({ file, line }: TestRef): string => (line === undefined ? file : `${file}:${line}`);

/** "chat › answers in one word"; empty for a call outside of any test of its file. */
export const testTitle = ({ name }: TestRef): string => name.join(" › ");
