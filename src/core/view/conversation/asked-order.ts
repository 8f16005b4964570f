import { compareTexts } from "../../base/compare.ts";

/** The fields of a recording that determine its position in a test. */
export interface OrderedRecording {
  readonly entry: string;
  /** Milliseconds since the epoch; 0 if the file has no date. */
  readonly recordedAt: number;
  readonly key: string;
  readonly take: number;
}

/**
 * Sorts recordings in the order in which a test used them in its last run. Recordings that it did not use follow,
 * oldest first. `used` contains the entries that the test used, in order.
 */
export function sortByAsking<T>(
  recordings: readonly T[],
  used: readonly string[],
  askedOf: (recording: T) => OrderedRecording,
): readonly T[] {
  const ranks = new Map(used.map((entry, rank) => [entry, rank]));
  return recordings
    .map((recording) => ({ recording, asked: askedOf(recording) }))
    .sort((a, b) => compareAsked(a.asked, b.asked, ranks))
    .map(({ recording }) => recording);
}

function compareAsked(a: OrderedRecording, b: OrderedRecording, ranks: ReadonlyMap<string, number>): number {
  const unranked = ranks.size;
  const rank = (ranks.get(a.entry) ?? unranked) - (ranks.get(b.entry) ?? unranked);
  return rank || a.recordedAt - b.recordedAt || compareTexts(a.key, b.key) || a.take - b.take;
}
