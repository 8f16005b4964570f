import { describe, expect, it } from "vitest";
import { addressOf } from "../../../src/core/cassette/address.ts";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { aRecording, bytes, sha256, textOf } from "../../support/a-recording.ts";
import {
  isMainTraffic,
  loadRecordedTraffic,
  loadReplyTexts,
  type RecordedExchange,
} from "../../support/recorded-traffic.ts";

/** What of a recording does not come back from its file; empty where all does. */
function lost(recording: Recording, file: string, blobs: ReadonlyMap<string, Uint8Array>): string[] {
  const read = decodeRecording(file, addressOf(recording.provider, recording.key, 1), {
    readBlob: (hash) => blobs.get(hash),
  });
  const same = Buffer.compare(read.reply.body, recording.reply.body) === 0;
  return [
    ...(same ? [] : ["body"]),
    ...(read.reply.contentType === recording.reply.contentType ? [] : ["content type"]),
    ...(read.reply.status === recording.reply.status ? [] : ["status"]),
  ];
}

function recordings(): { source: string; recording: Recording; main: boolean }[] {
  const exchanges = loadRecordedTraffic(isUnderstood).exchanges.map((exchange) => {
    const { source, provider, operation, reply } = exchange;
    const { headers: _, ...request } = exchange.request;
    return {
      source,
      recording: aRecording({ provider, operation, request, reply }),
      main: isMainTraffic(exchange),
    };
  });
  return [...exchanges, ...otherReplies()];
}

/** Framed as the two frame their streams: what others do otherwise is kept beside each event. */
function isPlain({ reply }: Recording): boolean {
  return /^(?:(?:event: \w+\n)?data: (?:\{"\w+":\S[^\n]*|\[DONE\])\n\n)+$/.test(textOf(reply.body));
}

/** Uploads to Gemini say that they are JSON and are not, so that they have no key. */
function isUnderstood({ request }: RecordedExchange): boolean {
  return !request.path.startsWith("/upload/");
}

/** Every reply of the collection, also of providers without an operation of their own, as plain events or JSON. */
function otherReplies(): { source: string; recording: Recording; main: boolean }[] {
  return loadReplyTexts().map(({ source, isStream, text }) => {
    const events = text
      .split("\n")
      .filter(Boolean)
      .map((line) => `data: ${line}\r\n\r\n`);
    const reply = isStream
      ? { contentType: "text/event-stream", body: bytes(events.join("")) }
      : { contentType: "application/json", body: bytes(text) };
    return { source, recording: aRecording({ provider: "gemini", operation: "http", reply }), main: false };
  });
}

describe("recorded traffic", () => {
  it("comes back from its file byte for byte, with or without blobs", () => {
    const all = recordings();

    const losses = all.flatMap(({ source, recording }) => {
      const apart = encodeRecording(recording, { sha256 });
      const within = encodeRecording(recording);
      const missing = [
        ...lost(recording, apart.text, apart.blobs),
        ...lost(recording, within.text, within.blobs),
      ];
      return missing.map((what) => `${source}: ${what}`);
    });

    expect(losses).toEqual([]);
    expect(all.length).toBeGreaterThan(400);
    console.log(`▸ ${all.length} recorded replies came back from their files byte for byte`);
  });

  it("of OpenAI and Anthropic that was streamed is readable: each event without its envelope", () => {
    const main = recordings().filter(
      (one) => one.main && one.recording.reply.contentType?.includes("stream") && isPlain(one.recording),
    );

    const opaque = main.flatMap(({ source, recording }) => {
      const { text } = encodeRecording(recording);
      return /^ {4}"(text|base64)"|^ {6}\{"(raw|base64)"|^ {4}"style"/m.test(text) ? [source] : [];
    });

    expect(opaque).toEqual([]);
    expect(main.length).toBeGreaterThan(30);
  });
});
