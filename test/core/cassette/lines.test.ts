import { expect, it } from "vitest";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { aRecording } from "../../support/a-recording.ts";
it("a value over several lines round-trips byte for byte", () => {
  const body = Uint8Array.from([
    34, 34, 10, 91, 10, 32, 123, 10, 32, 32, 34, 34, 58, 32, 91, 10, 32, 32, 32, 91, 10, 32, 32, 32, 32, 102,
    97, 108, 115, 101, 10, 32, 32, 32, 93, 10, 32, 32, 93, 10, 32, 125, 10, 93, 123, 10, 32, 32, 34, 34, 58,
    32, 91, 10, 32, 32, 32, 32, 110, 117, 108, 108, 10, 32, 32, 93, 10, 125,
  ]);
  const r = { ...aRecording(), reply: { status: 200, contentType: "application/x-ndjson", body } };
  const back = decodeRecording(encodeRecording(r).text, createRecordingAddress(r.provider, r.key, 1));
  expect(Buffer.from(back.reply.body).toString()).toBe(Buffer.from(body).toString());
});
