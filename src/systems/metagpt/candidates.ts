import type { JsonTree } from "../../core/base/json/json-tree.ts";

/** An answer that was given in a test and may become an entry of the cache. */
export interface Candidate {
  readonly key: string;
  readonly answer: JsonTree;
}

/** The candidates of one test in the order of the calls, whenever their answers came. */
export interface Candidates {
  /** Reserves the next place; the returned function fills it. */
  begin(): (candidate: Candidate) => void;
  list(): readonly Candidate[];
  clear(): void;
  /** Number of candidates above the limit that were dropped, oldest first. */
  readonly dropped: number;
}

export function createCandidates(bound: number): Candidates {
  const places = new Map<number, Candidate>();
  let next = 0;
  let dropped = 0;
  const inOrder = (): [number, Candidate][] => [...places].sort(([a], [b]) => a - b);
  return {
    get dropped() {
      return dropped;
    },
    begin() {
      const place = next++;
      return (candidate) => {
        places.set(place, candidate);
        if (places.size <= bound) return;
        const [oldest] = inOrder();
        if (oldest !== undefined) places.delete(oldest[0]);
        dropped += 1;
      };
    },
    list: () => inOrder().map(([, candidate]) => candidate),
    clear: () => places.clear(),
  };
}
