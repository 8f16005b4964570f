import { createScanner, type JSONScanner } from "jsonc-parser";
import { parseJson, isJsonFault } from "../../../core/base/json/json-parse.ts";
import { findEntryPlaces, parseCacheText, type EntryPlace } from "./cache-text.ts";

/** An entry with the position of its answer, which is parsed on demand. */
export interface CacheEntry extends EntryPlace {
  /** Position of the answer's JSON, in UTF-16 units from the beginning of the text. */
  readonly answerOffset: number;
}

/**
 * Returns the entries of a cache in order.
 * @throws JsonFault as `parseCacheText` does, at the same position
 */
export function readCache(text: string): readonly CacheEntry[] {
  try {
    return scanCache(text);
  } catch (error) {
    if (error !== NOT_PLAIN && !isJsonFault(error)) throw error;
  }
  // Slow, so it runs only for a broken file. Faults are described in one place.
  parseCacheText(text);
  return findEntryPlaces(text).map((place) => ({ ...place, answerOffset: answerOffsetOf(text, place) }));
}

export function answerText(text: string, { offset, length, answerOffset }: CacheEntry): string {
  return text.slice(answerOffset, offset + length);
}

const NOT_PLAIN = new Error("not what MetaGPT writes");

const TOKEN = { open: 1, close: 2, openList: 3, closeList: 4, comma: 5, colon: 6, text: 10, end: 17 };
const SPACE: ReadonlySet<number> = new Set([14, 15]);

function scanCache(text: string): readonly CacheEntry[] {
  const scanner = createScanner(text);
  const entries: CacheEntry[] = [];
  const seen = new Set<string>();
  const lines = lineCounter(text);
  expect(next(scanner), TOKEN.open);
  let token = next(scanner);
  while (token !== TOKEN.close) {
    expect(token, TOKEN.text);
    const offset = scanner.getTokenOffset();
    const key: unknown = plain(text.slice(offset, offset + scanner.getTokenLength()));
    if (typeof key !== "string" || seen.has(key)) throw NOT_PLAIN;
    seen.add(key);
    expect(next(scanner), TOKEN.colon);
    const answerOffset = passValue(text, scanner, next(scanner));
    const length = scanner.getTokenOffset() + scanner.getTokenLength() - offset;
    entries.push({ key, offset, length, answerOffset, ...lines(offset) });
    token = next(scanner);
    if (token === TOKEN.comma) expect((token = next(scanner)), TOKEN.text);
    else expect(token, TOKEN.close);
  }
  expect(next(scanner), TOKEN.end);
  return entries;
}

function next(scanner: JSONScanner): number {
  let token: number = scanner.scan();
  while (SPACE.has(token)) token = scanner.scan();
  return token;
}

function expect(token: number, wanted: number): void {
  if (token !== wanted) throw NOT_PLAIN;
}

/** Reads to the end of the value that begins with the token. Returns its start. */
function passValue(text: string, scanner: JSONScanner, first: number): number {
  const offset = scanner.getTokenOffset();
  let token = first;
  let depth = 0;
  for (;;) {
    if (token === TOKEN.end) throw NOT_PLAIN;
    if (token === TOKEN.open || token === TOKEN.openList) depth += 1;
    if (token === TOKEN.close || token === TOKEN.closeList) depth -= 1;
    if (depth <= 0) break;
    token = next(scanner);
  }
  const value = text.slice(offset, scanner.getTokenOffset() + scanner.getTokenLength());
  // Only our own reader finds a name that an object has twice.
  if (first === TOKEN.open || first === TOKEN.openList) parseJson(value);
  else plain(value);
  return offset;
}

function plain(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw NOT_PLAIN;
  }
}

/** Finds the lines and columns of increasing offsets. */
function lineCounter(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  let [line, start, at] = [1, 0, 0];
  return (offset) => {
    for (let end = text.indexOf("\n", at); end >= 0 && end < offset; end = text.indexOf("\n", at)) {
      line += 1;
      start = at = end + 1;
    }
    return { line, column: offset - start + 1 };
  };
}

function answerOffsetOf(text: string, { offset, length }: EntryPlace): number {
  const scanner = createScanner(text.slice(offset, offset + length), true);
  // The key, the colon, the answer.
  scanner.scan();
  scanner.scan();
  scanner.scan();
  return offset + scanner.getTokenOffset();
}
