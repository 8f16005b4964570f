import type { CacheEntry } from "./read-cache.ts";

/** An entry that was cut out of a cache's text, with the details to insert it again at its place. */
export interface CutEntry {
  readonly key: string;
  /** Text of the entry: `"key": answer`. */
  readonly text: string;
  /** The keys beside it; undefined at an end. */
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** White space and comma between it and the entry before, or, for the first, the one after it. */
  readonly between: string;
  /** White space at both ends, if it was the only entry. */
  readonly around: readonly [start: string, end: string] | undefined;
}

/** Cuts an entry out of the text and changes no other byte. Undefined if the text does not have the key. */
export function cutEntry(
  text: string,
  entries: readonly CacheEntry[],
  key: string,
): { readonly text: string; readonly cut: CutEntry } | undefined {
  const at = entries.findIndex((entry) => entry.key === key);
  const entry = entries[at];
  if (entry === undefined) return undefined;
  const [before, after] = [entries[at - 1], entries[at + 1]];
  const end = entry.offset + entry.length;
  const [from, to] = rangeOf(text, entry, { before, after });
  const between = before ? text.slice(from, entry.offset) : after ? text.slice(end, to) : "";
  return {
    text: text.slice(0, from) + text.slice(to),
    cut: {
      key,
      text: text.slice(entry.offset, end),
      before: before?.key,
      after: after?.key,
      between,
      around: before || after ? undefined : [text.slice(from, entry.offset), text.slice(end, to)],
    },
  };
}

function rangeOf(
  text: string,
  entry: CacheEntry,
  { before, after }: { readonly before: CacheEntry | undefined; readonly after: CacheEntry | undefined },
): readonly [from: number, to: number] {
  const end = entry.offset + entry.length;
  if (before) return [before.offset + before.length, end];
  if (after) return [entry.offset, after.offset];
  return [text.lastIndexOf("{", entry.offset) + 1, text.indexOf("}", end)];
}

/**
 * Inserts a cut entry again: after its former predecessor, or before its former successor, or at the end.
 * Returns undefined if the file has the key again.
 */
export function restoreCutEntry(
  text: string,
  entries: readonly CacheEntry[],
  cut: CutEntry,
): string | undefined {
  const find = (key: string | undefined): CacheEntry | undefined =>
    key === undefined ? undefined : entries.find((entry) => entry.key === key);
  if (find(cut.key)) return undefined;
  const insert = (at: number, piece: string): string => text.slice(0, at) + piece + text.slice(at);
  const between = cut.between === "" ? ",\n    " : cut.between;
  const after = cut.before === undefined ? find(cut.after) : undefined;
  if (after) return insert(after.offset, cut.text + between);
  const before = find(cut.before) ?? entries.at(-1);
  if (before) return insert(before.offset + before.length, between + cut.text);
  const [start, end] = cut.around ?? ["\n    ", "\n"];
  const at = text.indexOf("{") + 1;
  return `${text.slice(0, at)}${start}${cut.text}${end}${text.slice(text.indexOf("}", at))}`;
}
