import { grouped } from "../../core/grouped.ts";
import type { ChunkChange } from "./chunk-changes-model.ts";
import type { Chunk } from "./literals-model.ts";

/** What a recording's tests can see of one kind of chunk, before and now, and what changed in the whole file. */
export interface SeenChunks<C extends Chunk> {
  readonly before: readonly C[];
  readonly now: readonly C[];
  readonly changes: readonly ChunkChange<C>[];
}

/** A chunk that the request is made of and that changed. */
export interface AffectedChunk<C extends Chunk> {
  readonly before: C;
  /** What stands in its place; undefined where nobody can say. */
  readonly now: C | undefined;
  /** False where the same text also stands in places that did not change. */
  readonly isCertain: boolean;
}

/** Each text that `isSent` tells a part of the request and that is there fewer times than before, once. */
export function affectedChunks<C extends Chunk>(
  seen: SeenChunks<C>,
  isSent: (text: string) => boolean,
): readonly AffectedChunk<C>[] {
  const before = countsOf(seen.before);
  const now = countsOf(seen.now);
  const visible = new Set(seen.before);
  const sent = seen.changes.filter((change) => visible.has(change.before) && isSent(change.before.text));
  return grouped(sent, (change) => change.before.text).flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { text } = first.before;
    const left = now.get(text) ?? 0;
    // Only moved, to where the tests see it as well.
    if (left >= (before.get(text) ?? 0)) return [];
    const isCertain = left === 0;
    const isSame = others.every((other) => other.now?.text === first.now?.text);
    return [{ before: first.before, now: isCertain && isSame ? first.now : undefined, isCertain }];
  });
}

function countsOf(chunks: readonly Chunk[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { text } of chunks) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}
