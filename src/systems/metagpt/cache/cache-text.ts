import { createWrongArgument } from "../../../core/base/errors.ts";
import { findNodeAtOffset, parseTree, type Node } from "jsonc-parser";
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

/** Position of an entry in the text: offsets in UTF-16 units, lines and columns from 1. */
export interface EntryPlace {
  readonly key: string;
  readonly offset: number;
  readonly length: number;
  readonly line: number;
  readonly column: number;
}

/** Finds the position of every entry, in order. In a broken text, it finds the readable ones. */
export function findEntryPlaces(text: string): readonly EntryPlace[] {
  const root = parseTree(text);
  const places: EntryPlace[] = [];
  let line = 1;
  let start = 0;
  let at = 0;
  for (const property of root?.children ?? []) {
    const key = propertyName(property);
    if (key === undefined) continue;
    for (; at < property.offset; at += 1) {
      if (text.charCodeAt(at) !== 10) continue;
      line += 1;
      start = at + 1;
    }
    const { offset, length } = property;
    places.push({ key, offset, length, line, column: offset - start + 1 });
  }
  return places;
}

/** Returns the key of the entry that contains an offset, or undefined between entries. */
export function findKeyAt(text: string, offset: number): string | undefined {
  const root = parseTree(text);
  let node = root === undefined ? undefined : findNodeAtOffset(root, offset, true);
  while (node !== undefined && node.parent !== root) node = node.parent;
  return node === undefined ? undefined : propertyName(node);
}

function propertyName(property: Node): string | undefined {
  return readString(property.children?.[0]?.value);
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
