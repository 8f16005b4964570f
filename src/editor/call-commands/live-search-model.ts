import { countText } from "../../core/base/plural.ts";

/** Something that was found, by an id that stays when it is found again. */
interface Hit {
  readonly entry: string;
}

/** A list of hits that grows while a person types and files are still read, and what Enter means in it. */
export interface LiveSearch<T extends Hit> {
  readonly hits: readonly T[];
  /** Enter was pressed before anything was found for what is typed. */
  readonly isWanted: boolean;
  /** Finds anew; gives the hit to stand on: the first, until a person moved to another of the same text. */
  refresh(text: string, standing: () => T | undefined): Promise<T | undefined>;
  /** What Enter opens; undefined while what is typed was not looked for, or nothing is found yet. */
  accepted(text: string, standing: T | undefined): T | undefined;
  forgetWish(): void;
}

export function createLiveSearch<T extends Hit>(sources: {
  readonly find: (text: string) => Promise<readonly T[]>;
  /** Nothing more will be found for what is typed. */
  readonly isOver: () => boolean;
}): LiveSearch<T> {
  let found: { readonly text: string; readonly hits: readonly T[] } | undefined;
  let isWanted = false;
  return {
    get hits() {
      return found?.hits ?? [];
    },
    get isWanted() {
      return isWanted;
    },
    async refresh(text, standing) {
      const hits = await sources.find(text);
      const before = found;
      found = { text, hits };
      const active = standing();
      const hasMoved =
        before?.text === text && active !== undefined && active.entry !== before.hits[0]?.entry;
      return (hasMoved ? hits.find(({ entry }) => entry === active.entry) : undefined) ?? hits[0];
    },
    accepted(text, standing) {
      const hits = found?.text === text ? found.hits : [];
      const hit = hits.find(({ entry }) => entry === standing?.entry) ?? hits[0];
      isWanted = hit === undefined && !(found?.text === text && sources.isOver());
      return hit;
    },
    forgetWish() {
      isWanted = false;
    },
  };
}

/** How far the reading is, for the title; undefined where all is read. `pending`: long ones that are read again for a word. */
export function farText(
  { read, total, reading }: { readonly read: number; readonly total: number; readonly reading: boolean },
  pending: number,
): string | undefined {
  if (reading) return total === 0 ? "looking…" : `${countText(read)} of ${countText(total)} read…`;
  return pending === 0 ? undefined : `${countText(pending)} long ones left to search…`;
}
