import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Schema, Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { writeMessage } from "../../../src/core/base/wire/event-stream.ts";
import { aRecording, bytes, sha256 } from "../../support/a-recording.ts";
import { eventMessage } from "../../support/event-message.ts";

const file = join(import.meta.dirname, "../../../schemas/recording.schema.json");
const text = readFileSync(file, "utf8");
const schema = JSON.parse(text) as Schema;
/** Refuses the names that the schema does not know, which an editor would not complete. */
const strict = new Validator(
  JSON.parse(text, (_, value: object) =>
    "properties" in Object(value) ? { additionalProperties: false, ...value } : value,
  ) as Schema,
  "7",
  false,
);

function problems(recording: Recording): readonly string[] {
  const { errors } = strict.validate(JSON.parse(encodeRecording(recording, { sha256 }).text));
  return errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`);
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

    expect(wrong.filter((one) => new Validator(schema, "7").validate(one).valid)).toEqual([]);
  });

  it("explains every member", () => {
    const { definitions } = JSON.parse(text) as { readonly definitions: Readonly<Record<string, Schema>> };
    const owners = [schema, ...Object.values(definitions)];

    const members = owners.flatMap((one) =>
      Object.entries((one["properties"] ?? {}) as Readonly<Record<string, object>>),
    );
    const unexplained = members.filter(([, one]) => !("description" in one || "$ref" in one));

    expect(unexplained.map(([name]) => name)).toEqual([]);
    expect(members.length).toBeGreaterThan(20);
  });
});
