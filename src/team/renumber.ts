import { addressOf } from "../core/cassette/address.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { FileToPut, RecordingFile } from "../storage/team/put-recording.ts";
import type { Received } from "./receive.ts";

/** A take of a key as it was found in the cache. */
export interface ReceivedTake<File extends FileToPut = RecordingFile> {
  readonly address: RecordingAddress;
  readonly found: Received<File>;
}

/** What may be used of the takes of a key, in their order: what was refused counts as never written. */
export function renumber<File extends FileToPut>(received: readonly ReceivedTake<File>[]): readonly File[] {
  let refused = 0;
  return received.flatMap(({ address: { provider, key, take }, found }) => {
    if ("refused" in found) refused += 1;
    return "file" in found ? [{ ...found.file, entry: addressOf(provider, key, take - refused).entry }] : [];
  });
}
