import { describe, expect, it } from "vitest";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { readMessages } from "../../../src/core/base/wire/event-stream-text.ts";
import { aRecording } from "../../support/a-recording.ts";
import { eventMessage } from "../../support/event-message.ts";

const stream = (...messages: Uint8Array[]): Recording =>
  aRecording({
    reply: { contentType: "application/vnd.amazon.eventstream", body: Buffer.concat(messages) },
  });

const textOfFile = (recording: Recording): string => encodeRecording(recording).text;
const bodyOf = (file: string): Uint8Array =>
  decodeRecording(file, createRecordingAddress("openai", aRecording().key, 1)).reply.body;

const start = eventMessage({ ":event-type": "messageStart" }, '{"role":"assistant"}');
const inner = Buffer.from('{"type":"message_stop","n":9007199254740993}').toString("base64");
const chunk = eventMessage({ ":event-type": "chunk" }, `{"bytes":"${inner}","p":"abc"}`);
const exception = eventMessage(
  { ":event-type": "", ":exception-type": "throttlingException", ":message-type": "exception" },
  '{"message": "slow"}',
);

describe("a recorded AWS event stream", () => {
  it("is stored as readable events with the model's text decoded", () => {
    const { reply } = JSON.parse(textOfFile(stream(start, chunk, exception))) as {
      reply: { events: unknown[] };
    };

    expect(reply.events).toEqual([
      { event: "messageStart", data: { role: "assistant" } },
      // JSON.parse rounds what the file has in full.
      {
        event: "chunk",
        data: { bytes: { type: "message_stop", n: 9007199254740992 }, p: "abc" },
        inside: "bytes",
      },
      {
        headers: {
          ":content-type": "application/json",
          ":message-type": "exception",
          ":exception-type": "throttlingException",
        },
        data: { message: "slow" },
        style: { colon: ": " },
      },
    ]);
  });

  it("can be edited: lengths and checksums are computed again", () => {
    const edited = textOfFile(stream(start, chunk)).replace('"message_stop"', '"message_stop_and_more"');

    expect(readMessages(bodyOf(edited)).map(({ event, data }) => [event, data])).toEqual([
      ["messageStart", '{"role":"assistant"}'],
      ["chunk", '{"type":"message_stop_and_more","n":9007199254740993}'],
    ]);
  });

  it.each([
    ['{"event":"a","data":{},"scent":1}', "is not part of a message"],
    ['{"data":{}}', 'needs "event" or "headers"'],
    ['{"event":"a"}', 'needs one of "data", "text", and "base64"'],
    ['{"event":"a","data":{},"text":""}', 'cannot be combined with "reply.events[0].data"'],
    ['{"headers":{"a":5},"data":{}}', "must be a string"],
    ['{"event":"a","data":{},"inside":"other"}', 'can only be "bytes"'],
    ['{"event":"a","base64":"?"}', "is not base64"],
  ])("with the event %s is refused by name", (event, fault) => {
    const file = textOfFile(stream(start)).replace(/\{"event":"messageStart".*\}/, event);

    expect(() => bodyOf(file)).toThrow(fault);
  });
});
