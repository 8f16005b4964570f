import type { Fields } from "../../core/protocol/reading/lenient.ts";

/** Turns of one role that follow each other as one: the results of parallel calls have to come back together. */
export function mergedTurns<T extends { readonly role: string; readonly blocks: readonly Fields[] }>(
  turns: readonly T[],
  together: (before: T, next: T) => boolean,
): readonly T[] {
  const merged: T[] = [];
  for (const turn of turns) {
    const before = merged.at(-1);
    if (before === undefined || before.role !== turn.role || !together(before, turn)) merged.push(turn);
    else merged[merged.length - 1] = { ...before, blocks: [...before.blocks, ...turn.blocks] };
  }
  return merged;
}
