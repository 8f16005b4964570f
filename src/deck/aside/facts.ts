import { describeReply } from "../../core/describe.ts";
import { LARGE_BYTES } from "../../core/large.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import { factsOfRecording, type RecordedFacts } from "../../core/run-record/recorded-facts.ts";
import type { Aside } from "./aside.ts";
import type { ReadRecording } from "./jobs.ts";

/** What a recording adds to a call that it answered. A long answer is read aside, without the request. */
export async function factsOf(
  read: ReadRecording,
  providers: ProviderTable,
  aside: Aside | undefined,
): Promise<RecordedFacts> {
  const { recording, noted, ...known } = read;
  if (aside === undefined || recording.reply.body.byteLength < LARGE_BYTES)
    return factsOfRecording(describeReply(recording, providers, known), noted);
  const request = { ...recording.request, body: new Uint8Array() };
  return aside.facts({ ...read, recording: { ...recording, request } });
}
