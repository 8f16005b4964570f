import type { CassetteStore } from "../../cassette/store.ts";
import type { Disposable } from "../../call.ts";
import { inPortions } from "../../portions.ts";
import { collidingPairs, MOST_PAIRS, type Said } from "./colliding-pairs.ts";
import { hashText } from "../nearest/hash.ts";
import type { Normaliser } from "../key/key.ts";
import type { CompilePattern } from "./patterns.ts";
import { textUnder } from "./propose-rules.ts";
import type { NormaliseRule } from "./rule.ts";
import { readRuled } from "./ruled-request.ts";

/** A person waits for what a miss says: among more recordings nothing is said of a rule that applies anywhere. */
const MOST_READ = 10_000;

/** Finds recordings of different requests that fall together under rules that apply anywhere. */
export interface CollisionFinder extends Disposable {
  /**
   * Some of those among `entries`, in pairs; by hashes, so that each pair is to be looked at. No place tells which ones
   * they may be, so all are read, once while they stay as they are. Undefined where there are too many for that.
   */
  under(rules: readonly NormaliseRule[], entries: readonly string[]): Promise<readonly string[] | undefined>;
}

export interface CollisionParts {
  readonly store: CassetteStore;
  readonly normaliser: () => Normaliser | undefined;
  readonly compile: () => Promise<CompilePattern>;
}

type Hashes = Said<number>;

export function createCollisionFinder({ store, normaliser, compile }: CollisionParts): CollisionFinder {
  const byRule = new Map<string, Map<string, Hashes>>();
  let applied = normaliser();
  let watching: Disposable | undefined;
  const watch = (): Disposable =>
    store.watch(({ entry }) => {
      if (entry === undefined) byRule.clear();
      else for (const known of byRule.values()) known.delete(entry);
    });
  const knownUnder = (rules: readonly NormaliseRule[]): Map<string, Hashes> => {
    if (applied !== normaliser()) byRule.clear();
    applied = normaliser();
    const name = JSON.stringify(rules);
    const known = byRule.get(name) ?? new Map<string, Hashes>();
    byRule.set(name, known);
    return known;
  };

  return {
    async under(rules, entries) {
      if (entries.length > MOST_READ) return undefined;
      watching ??= watch();
      const known = knownUnder(rules);
      const normalise = applied;
      const compiled = await compile();
      const [now, after] = [textUnder([], compiled), textUnder(rules, compiled)];
      const unread = entries.filter((entry) => !known.has(entry));
      await inPortions(unread, async (entry) => {
        const one = await readRuled(entry, store, normalise);
        if (one !== undefined)
          known.set(entry, { now: hashOf(now(one.request)), after: hashOf(after(one.request)) });
      });
      return pairsAmong(entries, known);
    },
    dispose: () => watching?.dispose(),
  };
}

function pairsAmong(entries: readonly string[], known: ReadonlyMap<string, Hashes>): readonly string[] {
  const colliding = new Set<string>();
  for (const [first, other] of collidingPairs(entries, (entry) => known.get(entry))) {
    colliding.add(first).add(other);
    if (colliding.size >= 2 * MOST_PAIRS) break;
  }
  return [...colliding];
}

/** 53 bits. */
function hashOf(text: string): number {
  return (hashText(text, 21) % 2_097_152) * 4_294_967_296 + hashText(text, 22);
}
