import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { readFacts } from "../../../src/core/view/recording-facts.ts";
import { readFactsIn } from "../../../src/storage/folder/written-facts.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aRecording } from "../../support/a-recording.ts";
import { casesOf } from "../../support/cases.ts";
import { loadRecordedTraffic, type RecordedExchange } from "../../support/recorded-traffic.ts";

it("the facts of files as they were written are those of their recordings", () => {
  const providers = createProviders();
  const dir = aFolder();
  const exchanges = casesOf<(all: readonly RecordedExchange[]) => readonly RecordedExchange[]>({
    quick: (all) => all.filter((_, at) => at % 3 === 0),
    long: (all) => all,
  })(loadRecordedTraffic(() => true).exchanges);
  let streams = 0;
  for (const { provider, operation, request: sent, reply } of exchanges) {
    const { headers: _, isMadeUp: __, ...request } = sent;
    const recording = aRecording({ provider, operation, request, reply });
    const address = createRecordingAddress(provider, recording.key, 1);
    const { text, blobs } = encodeRecording(recording);
    mkdirSync(dirname(join(dir, address.entry)), { recursive: true });
    writeFileSync(join(dir, address.entry), text);

    const facts = readFactsIn([dir], address, providers);

    if (facts === undefined || blobs.size > 0) continue;
    expect(facts).toEqual(readFacts(decodeRecording(text, address), providers));
    if (reply.contentType.includes("event-stream")) streams += 1;
  }
  expect(streams).toBeGreaterThan(20);
});
