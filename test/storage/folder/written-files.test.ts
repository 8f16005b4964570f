import { expect, it } from "vitest";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import { readRequestOnly } from "../../../src/storage/folder/recorded-request.ts";
import { readReplyOnly, readWritten } from "../../../src/storage/folder/recording-reader.ts";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { readOperationRequest } from "../../../src/core/match/read-request.ts";
import { aRecording, bytes, textOf } from "../../support/a-recording.ts";

const STREAM = [
  'event: start\ndata: {"id":"x","n":[1,2.5]}\n\n',
  'data: {"text":"Grüße 😀 \\"quoted\\""}\n\n',
  "data: [DONE]\n\n",
].join("");
const waitsMs = [1, 2.5, 3];
const recording = aRecording({
  reply: {
    contentType: "text/event-stream",
    headers: [["x-request-id", "r1"]],
    body: bytes(STREAM),
    waitsMs,
  },
});
const { text: file } = encodeRecording(recording);
const address = createRecordingAddress(recording.provider, recording.key, 1);

const formatAgain = (text: string): string => JSON.stringify(JSON.parse(text), undefined, 4);
const withOtherKey = (text: string): string => text.replace(/"key": "sha256:./, '"key": "sha256:-');
const withBlobs = (text: string): string => text.replace(/\n\}\n$/, ',\n  "blobs": {\n  }\n}\n');

it("the reply of a file as it was written is read without its request", () => {
  const unreadable = file.replace(/"body": \{[^]*?\n {2}\},\n {2}"reply"/, '"body": {\n  },\n  "reply"');

  const reply = readReplyOnly(unreadable, recording);

  expect(unreadable).not.toBe(file);
  expect({ ...reply, body: textOf(reply?.body ?? bytes("")) }).toEqual({ ...recording.reply, body: STREAM });
});

it.each([
  ["has a comment", (text: string) => text.replace('"status"', '// mine\n    "status"')],
  ["has a trailing comma", (text: string) => text.replace("3]\n", "3],\n")],
  ["was formatted again", formatAgain],
  ["has an event with blanks", (text: string) => text.replace('{"id":"x"', '{"id": "x"')],
  ["has an event with a number in another spelling", (text: string) => text.replace("2.5]}", "2.50]}")],
  ["has an event that is cut off", (text: string) => text.replace('"n":[1,2.5]}', '"n":[1,2.5]')],
  ["has a header that none keeps", (text: string) => text.replace("x-request-id", "set-cookie")],
  ["has a header of two lines", (text: string) => text.replace("r1", "r1\\r\\nx: y")],
  ["has another status", (text: string) => text.replace('"status": 200', '"status": 20')],
  ["has the key of another", withOtherKey],
  [
    "belongs to cassettes",
    (text: string) => text.replace('  "request"', '  "cassettes": ["a"],\n  "request"'),
  ],
  ["has blobs", withBlobs],
  ["is of two branches", (text: string) => text.replace('  "request"', '<<<<<<< HEAD\n  "request"')],
  ["ends too early", (text: string) => text.slice(0, -20)],
])("a file that %s is left to who reads all of it", (_, edit) => {
  const edited = edit(file);

  expect(edited).not.toBe(file);
  expect(readReplyOnly(edited, recording)).toBeUndefined();
});

it("the request of a file as it was written is read without its reply", () => {
  const unreadable = file.replace(/ {2}"reply": \{[^]*$/, '  "reply": {');

  expect(unreadable).not.toBe(file);
  expect(readRequestOnly(unreadable, recording)?.readTree()).toEqual(readOperationRequest(recording));
});

it.each([
  ["was formatted again", formatAgain],
  ["has the key of another", withOtherKey],
  [
    "has blobs",
    (text: string) => text.replace(/"content": "/, `"content": "blobs/${"0".repeat(64)}", "x": "`),
  ],
  ["has a body of text", (text: string) => text.replace(/"body": \{[^]*?\n {4}\}/, '"text": "hello"')],
  ["has a content type", (text: string) => text.replace('"body": {', '"contentType": "a/b",\n    "body": {')],
])("the request of a file that %s is left to who reads all of it", (_, edit) => {
  const edited = edit(file);

  expect(edited).not.toBe(file);
  expect(readRequestOnly(edited, recording)).toBeUndefined();
});

it("a file as it was written is read as the decoder reads it", () => {
  const made = { test: { file: "a.test.ts", name: ["a", "b"], line: 3 }, cassettes: ["a"] };
  for (const one of [recording, { ...recording, ...made }]) {
    const { text } = encodeRecording(one);
    expect(readWritten(text, address, {})).toEqual(decodeRecording(text, address));
  }
});

it.each([
  ["a member that appears twice", (text: string) => text.replace('"status"', '"status": 201,\n    "status"')],
  ["a missing comma between events", (text: string) => text.replace("}},\n", "}}\n")],
  ["an event whose text is a number", (text: string) => text.replace('"text":"[DONE]"', '"text":1')],
  ["a test without a name", (text: string) => text.replace('  "request"', '  "test": {},\n  "request"')],
  ["a request without a path", (text: string) => text.replace(/\n {4}"path": .*/, "")],
  ["a conflict of two branches", (text: string) => text.replace('  "request"', '<<<<<<< HEAD\n  "request"')],
])("a file with %s is left to the decoder, which reports the place of the fault", (_, edit) => {
  const edited = edit(file);

  expect(edited).not.toBe(file);
  expect(readWritten(edited, address, {})).toBeUndefined();
  expect(() => decodeRecording(edited, address)).toThrow(/^The recording/);
});
