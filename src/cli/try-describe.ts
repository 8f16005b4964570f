import type { Recording } from "../core/cassette/recording.ts";
import { isTapedeckError } from "../core/errors.ts";
import type { RecordingView } from "../core/describe.ts";
import type { Deck } from "../deck/deck.ts";

/** The readable side of a recording; undefined where its request is not what its operation takes (any more). */
export function tryDescribe(deck: Deck, recording: Recording): RecordingView | undefined {
  try {
    return deck.describe(recording);
  } catch (error) {
    if (isTapedeckError(error)) return undefined;
    throw error;
  }
}
