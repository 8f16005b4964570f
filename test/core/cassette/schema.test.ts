import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { writeMessage } from "../../../src/core/base/wire/event-stream.ts";
import { aRecording, bytes, sha256 } from "../../support/a-recording.ts";
import { eventMessage } from "../../support/event-message.ts";
import { schemaProblems, undescribed, type Schema } from "../../support/schema-check.ts";

const file = join(import.meta.dirname, "../../../schemas/recording.schema.json");
const schema = JSON.parse(readFileSync(file, "utf8")) as Schema;
/** As an editor that completes names would be: strict about those that the schema does not know. */
const strict = closed(schema);

function closed(one: Schema): Schema {
  const members = Object.entries(one).map(([name, value]): [string, unknown] => [
    name,
    typeof value === "object" && value !== null && !Array.isArray(value) ? closed(value as Schema) : value,
  ]);
  return { ...("properties" in one && { additionalProperties: false }), ...Object.fromEntries(members) };
}

function problems(recording: Recording): string[] {
  return schemaProblems(strict, JSON.parse(encodeRecording(recording, { sha256 }).text));
}

const stream = (body: string): Recording =>
  aRecording({ reply: { contentType: "text/event-stream", body: bytes(body), waitsMs: [0, 1.5] } });

describe("the schema of recordings", () => {
  it.each<[string, Recording]>([
    ["JSON", aRecording()],
    [
      "JSON in another style",
      aRecording({ reply: { body: bytes('{\r\n\t"a": "\\u00C9\\/",\r\n\t"b": "<"\r\n}\n') } }),
    ],
    ["a reply that is text", aRecording({ reply: { contentType: "text/plain", body: bytes("hi") } })],
    ["a reply without content type", { ...aRecording(), reply: { status: 204, body: bytes("") } }],
    [
      "a binary reply",
      aRecording({ reply: { contentType: "audio/mpeg", body: new Uint8Array(9).fill(255) } }),
    ],
    [
      "a large binary reply",
      aRecording({ reply: { contentType: "audio/mpeg", body: new Uint8Array(70_000).fill(255) } }),
    ],
    [
      "a stream",
      stream('event: a\ndata: {"a":1 }\n\nevent: ping\ndata: {"type": "ping"}\n\n: note\n\ndata: [DONE]\n\n'),
    ],
    [
      "a binary stream of AWS",
      aRecording({
        reply: {
          contentType: "application/vnd.amazon.eventstream",
          body: Buffer.concat([
            eventMessage({ ":event-type": "chunk" }, '{"bytes":"e30="}'),
            eventMessage({ ":event-type": "", ":message-type": "error", ":error-code": "a" }, ""),
            writeMessage({
              headers: [{ name: "a", value: "b" }],
              payload: bytes("text"),
            }),
            bytes("broken"),
          ]),
        },
      }),
    ],
    ["a stream in another style", stream('data:{"a": 1}\r\n\r\ndata:\xff\r\n\r\n')],
    [
      "a test and a helper",
      aRecording({ test: { file: "a", name: ["b"], line: 1, runner: "vitest", at: { file: "c", line: 2 } } }),
    ],
    ["a form", aRecording({ request: { contentType: "text/plain", body: bytes("a=1") } })],
  ])("knows all that is written: %s", (_, recording) => {
    expect(problems(recording)).toEqual([]);
  });

  it("marks what is not a recording", () => {
    const good = JSON.parse(encodeRecording(stream("data: {}\n\n")).text) as Record<string, object>;
    const wrong = [
      { ...good, format: 2 },
      { ...good, key: "sha256:1" },
      { ...good, reply: { ...good["reply"], text: "" } },
      { ...good, reply: { ...good["reply"], contentType: "text/plain\nx-other: 1" } },
      { ...good, reply: { ...good["reply"], events: [{ dta: {} }] } },
      { ...good, request: {} },
    ];

    expect(wrong.map((one) => schemaProblems(schema, one).length > 0)).toEqual(wrong.map(() => true));
  });

  it("explains every member", () => {
    expect(undescribed(schema)).toEqual([]);
  });
});
