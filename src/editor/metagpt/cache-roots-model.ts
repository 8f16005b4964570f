import { answerText, type CacheEntry } from "../../core/formats/rsp-cache/read-cache.ts";
import type { TakeTurns } from "../../core/take-turns.ts";
import { type CallFilter, isFiltering, passes } from "../calls-tree/call-filter-model.ts";
import type { ReadCache } from "./cache-file-model.ts";
import { brokenNode, cacheId, cacheNode, entryNodes } from "./cache-nodes-model.ts";
import type { CacheReader } from "./cache-reader-model.ts";
import type { CallNode } from "../calls-tree/call-node-model.ts";

export interface CacheView {
  readonly filter: CallFilter;
  /** Lines that a person opened or closed, by id. */
  readonly opened: ReadonlyMap<string, boolean>;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** The line of a file; with a filter undefined where nothing in it passes. */
export async function rootOf(
  file: string,
  reader: CacheReader,
  { filter, opened, now }: CacheView,
  takeTurns: TakeTurns,
): Promise<CallNode | undefined> {
  const filtering = isFiltering(filter);
  const content = filtering ? await reader.content() : reader.known;
  const total = content?.kind === "read" ? content.entries.size : undefined;
  const matching =
    filtering && content?.kind === "read" ? await matches(content, { filter, now }, takeTurns) : undefined;
  if (filtering && (matching === undefined || matching.length === 0)) return undefined;
  return cacheNode({
    file,
    total,
    shown: matching?.length ?? total,
    isOpen: opened.get(cacheId(file)) ?? filtering,
    children: async (self) => {
      const read = await reader.content();
      if (read.kind === "broken") return [brokenNode(self, file, read)];
      return entryNodes(self, file, read, matching ?? [...read.entries]);
    },
  });
}

async function matches(
  cache: ReadCache,
  { filter, now }: Pick<CacheView, "filter" | "now">,
  takeTurns: TakeTurns,
): Promise<readonly (readonly [string, CacheEntry])[]> {
  const found: (readonly [string, CacheEntry])[] = [];
  for (const [digest, entry] of cache.entries) {
    let text: string | undefined;
    const textOf = (): string => `${entry.key}\n${answerText(cache.text, entry)}`.toLowerCase();
    const passed = passes(filter, {
      now,
      at: cache.changedAt,
      state: "recorded",
      provider: "metagpt",
      model: undefined,
      tests: [],
      contains: (word) => (text ??= textOf()).includes(word),
    });
    if (passed === true) found.push([digest, entry]);
    const turn = takeTurns();
    if (turn) await turn;
  }
  return found;
}
