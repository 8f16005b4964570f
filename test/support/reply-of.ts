import type { RecordedReply } from "../../src/core/cassette/recording.ts";
import type { CassetteStore } from "../../src/core/cassette/store.ts";

/** Returns the reply that a store replays for one entry. @throws as `read`. */
export async function replyOf(store: CassetteStore, entry: string): Promise<RecordedReply> {
  return ((await store.read(entry, "replay")) ?? (await store.read(entry))).reply;
}
