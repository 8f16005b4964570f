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

    const facts = readFactsIn([dir], address, providers)?.facts;

    if (facts === undefined || blobs.size > 0) continue;
    expect(facts).toEqual(readFacts(decodeRecording(text, address), providers));
    if (reply.contentType.includes("event-stream")) streams += 1;
  }
  expect(streams).toBeGreaterThan(20);
});

it.each([
  ["blanks between values", '"temperature" :  1,\n\n      "seed": [ 1,2 ]'],
  ["a number in another spelling", '"temperature": 1.0e0'],
  ["escapes", '"user": "a \\" b\\n \\\\"'],
  ["other scripts", '"user": "é 用户 👩"'],
])("the facts of a file with %s in its request are those of its recording", (_, member) => {
  const { file, decoded } = readBoth(member);

  expect(file).toBeDefined();
  expect(file).toEqual(decoded);
});

it("the facts of a file whose request was sent without its escapes are left to who reads all of it", () => {
  expect(readBoth('"user": "\\u0041"').file).toBeUndefined();
});

/** Reads facts from the text of a file, to which a member was added by hand, and from its recording. */
function readBoth(member: string) {
  const [dir, providers, recording] = [aFolder(), createProviders(), aRecording()];
  const address = createRecordingAddress(recording.provider, recording.key, 1);
  const edited = encodeRecording(recording).text.replace('"body": {', `"body": {\n      ${member},`);
  mkdirSync(dirname(join(dir, address.entry)), { recursive: true });
  writeFileSync(join(dir, address.entry), edited);
  return {
    file: readFactsIn([dir], address, providers)?.facts,
    decoded: readFacts(decodeRecording(edited, address), providers),
  };
}
