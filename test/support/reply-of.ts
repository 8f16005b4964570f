import { readEntry } from "../../src/core/cassette/address.ts";
import type { RecordedReply } from "../../src/core/cassette/recording.ts";
import type { CassetteStore } from "../../src/core/cassette/store.ts";

/** What a store replays of one entry. @throws as `replay`. */
export async function replyOf(store: CassetteStore, entry: string): Promise<RecordedReply> {
  const address = readEntry(entry);
  if ("wrong" in address) throw new Error(address.wrong);
  const reply = await store.replay(address.provider, address.key, () => entry);
  if (reply === undefined) throw new Error(`${entry} was not replayed`);
  return reply;
}
