import { createWrongArgument } from "../../../core/base/errors.ts";
import { parseTree } from "jsonc-parser";
import { createJsonFault, parseJson } from "../../../core/base/json/json-parse.ts";
import { isJsonObject, type JsonTree, writeJson } from "../../../core/base/json/json-tree.ts";
import { readString } from "../../../core/base/lenient.ts";

/** Writes MetaGPT's `rsp_cache.json`: indent 4, only the necessary escapes, no newline at the end. */
export function cacheText(entries: Iterable<readonly [string, JsonTree]>): string {
  return writeJson({ members: listEntries(entries) }, { indent: 4, colon: ": " });
}

/**
 * Reads the entries of such a file in order.
 * @throws JsonFault at the first bad position, also for a key that occurs twice, because its answer is ambiguous.
 */
export function parseCacheText(text: string): readonly (readonly [string, JsonTree])[] {
  if (typeof text !== "string") throw createWrongArgument("text", "a text", text);
  const tree = parseJson(text);
  if (typeof tree === "object" && tree !== null && isJsonObject(tree)) return tree.members;
  throw createJsonFault("the file is no JSON object of keys and answers", text, text.search(/\S/));
}

/** An entry with its position in the text: offsets in UTF-16 units, lines and columns from 1. */
export interface CacheEntry {
  readonly key: string;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly column: number;
  /** Position of the answer's JSON. */
  readonly answerOffset: number;
}

/** Returns the entries of a cache in order. @throws JsonFault as `parseCacheText` does */
export function readCache(text: string): readonly CacheEntry[] {
  parseCacheText(text);
  const entries: CacheEntry[] = [];
  let [line, start] = [1, 0];
  for (const { offset, length, children = [] } of parseTree(text)?.children ?? []) {
    const [name, answer] = children;
    const key = readString(name?.value);
    if (key === undefined || answer === undefined) continue;
    for (let end = text.indexOf("\n", start); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
      line += 1;
      start = end + 1;
    }
    entries.push({ key, offset, length, line, column: offset - start + 1, answerOffset: answer.offset });
  }
  return entries;
}

export function answerText(text: string, { offset, length, answerOffset }: CacheEntry): string {
  return text.slice(answerOffset, offset + length);
}

/** @throws TapedeckError `tapedeck_usage` if `entries` cannot be iterated, or an item is not a key and an answer */
export function listEntries(
  entries: Iterable<readonly [string, JsonTree]>,
): readonly (readonly [string, JsonTree])[] {
  if (typeof entries !== "object" || entries === null || !(Symbol.iterator in entries))
    throw createWrongArgument("entries", "a list or map of keys and answers", entries);
  const all = [...entries];
  const wrong = all.findIndex((entry) => !Array.isArray(entry));
  if (wrong !== -1) throw createWrongArgument(`entries[${wrong}]`, "a key and its answer", all[wrong]);
  return all;
}
