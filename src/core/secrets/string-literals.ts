import { jsonIn } from "../protocol/reading/lenient.ts";
import type { Steps } from "../steps.ts";

/** A string within a text of JSON: where its quotes stand (`end` is behind the second) and what it says. */
export interface StringLiteral {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

/** Whether a text is an object or an array of JSON. */
const isJsonContainer = (text: string): boolean => /^\s*[[{]/.test(text) && jsonIn(text) !== undefined;

/** Longer texts are taken for JSON by how they begin and end: to read them at once would keep others waiting. */
const LONG = 1_048_576;

/** Whether a text is an object or an array of JSON; of a long one, whether it looks like one. */
export function isJsonText(text: string): boolean {
  if (text.length <= LONG) return isJsonContainer(text);
  return /^\s{0,99}[[{]/.test(text) && /[\]}]\s{0,99}$/.test(text.slice(-100));
}

/** So much is read of a long text before others have their turn. */
const STEP = 262_144;

/** All strings of a text that looks like JSON, in steps; undefined where a string of it is none of JSON. */
export function* literalsIn(json: string): Steps<readonly StringLiteral[] | undefined> {
  const literals: StringLiteral[] = [];
  let next = STEP;
  for (let start = json.indexOf('"'); start >= 0;) {
    const end = endOfLiteral(json, start + 1);
    if (end > json.length) return undefined;
    const value = yield* valueOf(json, start + 1, end - 1);
    if (value === undefined) return undefined;
    literals.push({ start, end, value });
    start = json.indexOf('"', end);
    if (end < next) continue;
    next = end + STEP;
    yield;
  }
  return literals;
}

/** What a literal says, a part of it at a time; undefined where it has an escape that is none. */
function* valueOf(json: string, from: number, to: number): Steps<string | undefined> {
  const written = json.slice(from, to);
  if (!written.includes("\\")) return written;
  let value = "";
  for (let at = 0; at < written.length;) {
    const end = wholeEscapes(written, at, Math.min(at + STEP, written.length));
    try {
      value += JSON.parse(`"${written.slice(at, end)}"`) as string;
    } catch {
      return undefined;
    }
    at = end;
    if (at < written.length) yield;
  }
  return value;
}

/** The place at or before `end` that is in no escape; `from` is in none. */
function wholeEscapes(text: string, from: number, end: number): number {
  if (end === text.length) return end;
  for (let at = end; at > end - 6; at -= 1) {
    let before = at;
    while (before > from && text.charCodeAt(before - 1) === 92) before -= 1;
    if ((at - before) % 2 === 1) return at - 1;
    if (before < at) return end;
  }
  return end;
}

/** Behind the quote that ends it: the first one before which there is an even number of backslashes. */
function endOfLiteral(json: string, from: number): number {
  for (let at = json.indexOf('"', from); at >= 0; at = json.indexOf('"', at + 1)) {
    let before = at;
    while (before > from && json.charCodeAt(before - 1) === 92) before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return json.length + 1;
}
