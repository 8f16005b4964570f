/** What is known of when a recording was asked for. */
export interface OrderedRecording {
  readonly entry: string;
  /** Milliseconds since the epoch; 0 where its file does not say. */
  readonly recordedAt: number;
  readonly key: string;
  readonly take: number;
}

/**
 * Recordings in the order in which a test asks for them: as it did when it last ran; what was not seen in use comes
 * after, oldest first. `used`: the entries that it used, in order.
 */
export function inOrderOfAsking<T>(
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
  if (rank !== 0) return rank;
  if (a.recordedAt !== b.recordedAt) return a.recordedAt - b.recordedAt;
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.take - b.take;
}
