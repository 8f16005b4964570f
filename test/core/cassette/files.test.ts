import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Schema, Validator } from "@cfworker/json-schema";
import { describe, expect, it } from "vitest";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import { readMessages } from "../../../src/core/base/wire/event-stream-text.ts";
import { writeMessage } from "../../../src/core/base/wire/event-stream.ts";
import { aRecording, bytes, sha256, textOf } from "../../support/a-recording.ts";
import { eventMessage } from "../../support/event-message.ts";

/*
 * The files of recordings. The page beside this test has the file of each one; all are valid by the schema, and are read
 * back as they were. `vitest FILE -u` writes the page anew.
 */

const replied = (body: string | Uint8Array, contentType = "application/json", more: object = {}): Recording =>
  aRecording({ reply: { contentType, body: typeof body === "string" ? bytes(body) : body, ...more } });
const streamed = (...events: readonly string[]): Recording => replied(events.join(""), "text/event-stream");
const asked = (body: string, contentType?: string): Recording =>
  aRecording({ request: { body: bytes(body), ...(contentType !== undefined && { contentType }) } });
const messages = (...all: readonly Uint8Array[]): Recording =>
  replied(Uint8Array.from(Buffer.concat(all)), "application/vnd.amazon.eventstream");

const picture = new Uint8Array(70_000).map((_, index) => (index * 31) % 256);
const hash = sha256(picture);
const base64 = Buffer.from(picture).toString("base64");
const showing = (url: string): Recording =>
  asked(JSON.stringify({ messages: [{ content: [{ type: "text" }, { image_url: { url } }] }] }));

const begin = eventMessage({ ":event-type": "messageStart" }, '{"role":"assistant"}');
const inner = Buffer.from('{"type":"message_stop","n":9007199254740993}').toString("base64");
const chunk = eventMessage({ ":event-type": "chunk" }, `{"bytes":"${inner}","p":"abc"}`);
const failing = (type: string, code: string, text: string): Uint8Array =>
  eventMessage({ ":event-type": "", ":message-type": type, [code]: "throttlingException" }, text);

const FILES: Readonly<Record<string, Recording>> = {
  "what was asked and what was answered": aRecording({
    question: "Say 1",
    reply: { body: bytes('{"id":"c1","n":1.0,"vector":[0.5,1e-7]}') },
    test: { file: "test/a.test.ts", name: ["greets", "politely"], line: 12, runner: "vitest" },
  }),
  "a test and a helper": aRecording({
    test: { file: "a", name: ["b"], line: 1, at: { file: "c", line: 2 } },
  }),
  "a line for each event, and no word of style for what OpenAI sends": streamed(
    'data: {"id":"c1","choices":[{"delta":{"content":"Hi"}}]}\n\n',
    'data: {"id":"c1","usage":null}\n\ndata: [DONE]\n\n',
  ),
  waits: replied("data: 1\n\ndata: 2\n\n", "text/event-stream", { waitsMs: [0, 1.5] }),
  "the blanks and the spaced ping of Anthropic": streamed(
    'event: message_start\ndata: {"type":"message_start","n":0}\n\n',
    'event: ping\ndata: {"type": "ping"}\n\n',
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0    }\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ),
  "the style of a whole stream, once": streamed('data:{"a": 1, "b": 2}\r\n\r\ndata:{"a": 3, "b": 4}\r\n\r\n'),
  "events that are written in no usual way, and one that is no text": replied(
    Buffer.concat([
      Buffer.from(": keep-alive\n\nid: 7\ndata: {}\n\ndata: a\ndata: b\n\n"),
      Buffer.from([0x64, 0xff, 0x0a, 0x0a]),
      Buffer.from('data: {"a":1}\n\ndata: {"cut":'),
    ]),
    "text/event-stream",
  ),
  "names and numbers that JSON.parse would change": streamed(
    'data: {"a":1,"a":2}\n\ndata: {"b":1,"1":2}\n\ndata: [1.0,-0,9007199254740993]\n\n',
    'data: {"__proto__":{"a":"\\ud800"}}\n\n',
  ),
  "lines of JSON": replied('{"a":1}\n{"done":true}\n', "application/x-ndjson"),
  "a value over several lines": replied(
    '""\n[\n {\n  "": [\n   [\n    false\n   ]\n  ]\n }\n]{\n  "": [\n    null\n  ]\n}',
    "application/x-ndjson",
  ),
  "JSON that another serializer wrote": replied('{\n  "text": "caf\\u00e9",\n  "n": 9007199254740993\n}\n'),
  "JSON with tabs and other escapes": replied('{\r\n\t"a": "\\u00C9\\/",\r\n\t"b": "<"\r\n}\n'),
  "JSON with a name twice": replied('{"a":1,"a":2}'),
  "JSON in two styles": replied('{"a": 1,"b":2}'),
  "what an editor would hide or complain about": replied('{"a":"\u2028\u202e\ufeff\u0085"}'),
  "a text": replied("hi", "text/plain"),
  "no content type": { ...aRecording(), reply: { status: 204, body: bytes("") } },
  sound: replied(Uint8Array.of(255, 251, 0), "audio/mpeg"),
  "a form": asked("a=1", "text/plain"),
  parts: asked("--x\r\n\r\n1\r\n--x--\r\n", "multipart/form-data; boundary=x"),
  "messages of AWS": messages(begin, chunk, failing("exception", ":exception-type", '{"message": "slow"}')),
  "other messages of AWS": messages(
    failing("error", ":error-code", ""),
    writeMessage({ headers: [{ name: "a", value: "b" }], payload: bytes("text") }),
    bytes("broken"),
  ),
  "a large picture in a request, beside the file": showing(`data:image/png;base64,${base64}`),
  "large sound, beside the file": replied(picture, "audio/mpeg"),
  "large data in JSON, beside the file": replied(JSON.stringify({ b64_json: base64 })),
  "large data in an event, beside the file": streamed(`data: {"a/b~c":"${base64}"}\n\n`),
};

const fileOf = (recording: Recording): string => encodeRecording(recording, { sha256 }).text;
const readBack = (file: string, { provider, key }: Recording, options = {}): Recording =>
  decodeRecording(file, createRecordingAddress(provider, key, 1), options);

const schemaText = readFileSync(join(import.meta.dirname, "../../../schemas/recording.schema.json"), "utf8");
const schema = JSON.parse(schemaText) as Schema;
/** Refuses the names that the schema does not know, which an editor would not complete. */
const strict = new Validator(
  JSON.parse(schemaText, (_, value: object) =>
    "properties" in Object(value) ? { additionalProperties: false, ...value } : value,
  ) as Schema,
  "7",
  false,
);

/** With digests in place of bodies, which are compared faster. */
const hashed = ({ request, reply, ...rest }: Recording) => ({
  ...rest,
  request: { ...request, body: sha256(request.body) },
  reply: { ...reply, body: sha256(reply.body) },
});

it("recordings are written as the page has it, in words of the schema, and are read back as they were", async () => {
  const page: string[] = [];
  for (const [title, recording] of Object.entries(FILES)) {
    const { text, blobs } = encodeRecording(recording, { sha256 });
    const back = readBack(text, recording, { sha256, readBlob: (name: string) => blobs.get(name) });
    const { errors } = strict.validate(JSON.parse(text));

    expect([title, errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`)]).toEqual([
      title,
      [],
    ]);
    expect([title, hashed(back)]).toEqual([title, hashed(recording)]);
    expect([...blobs].filter(([name, content]) => sha256(content) !== name)).toEqual([]);
    page.push(`# ${title}, blobs: ${blobs.size}`, text);
  }

  await expect(page.join("\n")).toMatchFileSnapshot("files.txt");
});

it("the schema marks what is not a recording, and explains every member", () => {
  const good = JSON.parse(fileOf(streamed("data: {}\n\n"))) as Record<string, object>;
  const reply = (changes: object): object => ({ ...good, reply: { ...good["reply"], ...changes } });
  const wrong = [
    { ...good, format: 2 },
    { ...good, key: "sha256:1" },
    reply({ text: "" }),
    { ...good, request: {} },
  ];
  wrong.push(reply({ contentType: "text/plain\nx-other: 1" }), reply({ events: [{ dta: {} }] }));
  const { definitions } = schema as { readonly definitions: Readonly<Record<string, Schema>> };
  const members = [schema, ...Object.values(definitions)].flatMap((one) =>
    Object.entries((one["properties"] ?? {}) as Readonly<Record<string, object>>),
  );

  expect(wrong.filter((one) => new Validator(schema, "7").validate(one).valid)).toEqual([]);
  expect(members.filter(([, one]) => !("description" in one || "$ref" in one))).toEqual([]);
  expect(members.length).toBeGreaterThan(20);
});

describe("a stream whose events are written in several styles", () => {
  const value = { id: "c1", delta: [1, { text: "a" }] };
  const styles: Readonly<Record<string, string>> = {
    compact: JSON.stringify(value),
    spaced: '{"id": "c1", "delta": [1, {"text": "a"}]}',
    "spaced after colons": '{"id": "c1","delta": [1,{"text": "a"}]}',
    indented: JSON.stringify(value, null, 2).replaceAll("\n", ""),
    "with a blank first": ` ${JSON.stringify(value)}`,
  };
  const pairs = Object.keys(styles).flatMap((most) => Object.keys(styles).map((one) => [most, one] as const));

  it.each(pairs)("most are %s and one is %s: each keeps its own text", (most, one) => {
    const data = [most, most, one, most].map((style) => styles[style]);
    for (const recording of [
      streamed(...data.map((text) => `data: ${text}\n\n`)),
      replied(data.map((text) => `${text}\n`).join(""), "application/x-ndjson"),
    ])
      expect(readBack(fileOf(recording), recording)).toEqual(recording);
  });
});

it("an event that is nested deeply comes back, and of a JSON request only the white space is lost", () => {
  const deep = streamed(`data: ${"[".repeat(1_000)}1${"]".repeat(1_000)}\n\n`);
  const spaced = asked('{ "b": 1.50,\n "a": "\\u0041" }');

  expect(readBack(fileOf(deep), deep)).toEqual(deep);
  expect(textOf(readBack(fileOf(spaced), spaced).request.body)).toBe('{"b":1.50,"a":"A"}');
});

describe("a file that was changed", () => {
  it("by git or an editor in its line ends or layout, or with a byte order mark, is the same", () => {
    const recording = streamed('event: a\ndata: {"t":"x\\r\\ny"}\n\n', "data: [DONE]\r\n\r\n");
    const file = fileOf(recording);

    for (const text of [`\ufeff${file.replaceAll("\n", "\r\n")}`, JSON.stringify(JSON.parse(file))])
      expect(readBack(text, recording)).toEqual(recording);
  });

  it.for<readonly [what: string, recording: Recording, before: string, after: string, body: string]>([
    [
      "comments and trailing commas",
      replied('{"text":"old"}'),
      '"text": "old"',
      '// shorter\n "text": "new", /* one\n more */',
      '{"text":"new"}',
    ],
    [
      "an event in the stream's own style",
      streamed('data:{"t": "old"}\n\ndata:[DONE]\n\n'),
      '{"data":{"t":"old"}}',
      '{"data":{"t":"new"}},\n{"data":{"t":"more"}}',
      'data:{"t": "new"}\n\ndata:{"t": "more"}\n\ndata:[DONE]\n\n',
    ],
  ])("by hand is read with %s", ([, recording, before, after, body]) => {
    expect(textOf(readBack(fileOf(recording).replace(before, after), recording).reply.body)).toBe(body);
  });

  it("in a message of AWS gets lengths and checksums that fit", () => {
    const recording = messages(begin, chunk);
    const edited = fileOf(recording).replace('"message_stop"', '"message_stop_and_more"');

    expect(
      readMessages(readBack(edited, recording).reply.body).map(({ event, data }) => [event, data]),
    ).toEqual([
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
  ])("to have the message %s is refused by name", (event, fault) => {
    const recording = messages(begin);
    const file = fileOf(recording).replace(/\{"event":"messageStart".*\}/, event);

    expect(() => readBack(file, recording)).toThrow(fault);
  });
});

describe("large binaries", () => {
  it("stay in the file when they are small, or when encoding them again would not give the same text", () => {
    const loose = base64.replace(/=*$/, "");
    for (const text of [Buffer.alloc(65_536).toString("base64"), loose, "word ".repeat(20_000)])
      expect(encodeRecording(showing(text), { sha256 }).blobs.size).toBe(0);
  });

  it("that are missing, damaged, moved, or not downloaded by Git LFS are named", () => {
    const recording = showing(base64);
    const file = fileOf(recording);
    const pointer = Buffer.from(
      `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${picture.length}\n`,
    );
    const reading =
      (blob: Uint8Array | undefined, text = file) =>
      () =>
        readBack(text, recording, { sha256, readBlob: () => blob });

    expect(reading(undefined)).toThrow(`refers to blobs/${hash}, which does not exist`);
    expect(reading(picture.map((byte) => byte ^ 1))).toThrow("has other content");
    expect(reading(picture, file.replace('"type": "text"', '"type": "text" }, {'))).toThrow(
      "refers to a field that is not in the file",
    );
    expect(reading(pointer)).toThrow(
      `refers to blobs/${hash}, which is a Git LFS pointer: run git lfs pull to get the file`,
    );
    expect(() => readBack(pointer.toString(), recording)).toThrow(
      "it is a Git LFS pointer: run git lfs pull",
    );
  });
});
