import { expect, it } from "vitest";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import { isTapedeckError } from "../../../src/core/base/errors.ts";
import { computeKey } from "../../../src/core/match/key/key.ts";
import { aRecording, bytes, sha256 } from "../../support/a-recording.ts";

const recording = aRecording({
  reply: {
    contentType: "text/event-stream",
    body: bytes('data: {"a":1}\n\ndata: [DONE]\n\n'),
    waitsMs: [3, 4],
  },
  test: { file: "a.test.ts", name: ["a"] },
});
const address = createRecordingAddress(recording.provider, recording.key, 1);
const { text: good } = encodeRecording(recording);

/** Returns the fault of an unreadable file as `line:column reason`. */
function complaint(file: string | Uint8Array, options: Parameters<typeof decodeRecording>[2] = {}): string {
  try {
    decodeRecording(file, address, options);
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    const { position } = error;
    const reason = error.message.split(" cannot be read: ")[1] ?? "";
    return position === undefined ? reason : `${position.line}:${position.column} ${reason}`;
  }
  return "nothing is wrong";
}

function edited(from: string | RegExp, to: string): string {
  const file = good.replace(from, to);
  expect(file).not.toBe(good);
  return file;
}

const CONFLICT =
  '<<<<<<< HEAD\n  "operation": "x",\n=======\n  "operation": "y",\n>>>>>>> theirs\n  "operation"';

/** Files that people, merges, and crashes leave. */
const BROKEN: Readonly<Record<string, string | Uint8Array>> = {
  "a colon is missing": edited('"provider": ', '"provider" '),
  "a comma is missing": edited('"openai",', '"openai"'),
  "quotes are missing": edited('"openai",', "openai,"),
  "an escape is invalid": edited('"openai"', '"open\\ai"'),
  "a bracket is left over": `${good}}`,
  "it is empty": "",
  "it is blank": " \n",
  "it is cut off in a name": good.slice(0, good.indexOf('"request"') + 4),
  "it is cut off at its end": good.slice(0, -3),
  "it is full of zeros": "\0".repeat(200),
  "a merge is not finished": edited('  "operation"', CONFLICT),
  "it is Latin-1": Buffer.from(edited('"a.test.ts"', '"ä.test.ts"'), "latin1"),
  "it is UTF-16": Buffer.from(`\ufeff${good}`, "utf16le"),
  "it is nested very deeply": `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`,
  "it is a list": "[]",
  "it is an empty object": "{}",
  "a member is missing": edited(/ {2}"provider".*\n/, ""),
  "an inner member is missing": edited(/ {4}"method".*\n/, ""),
  "a member of the wrong kind": edited('"openai"', "1"),
  "a member is there twice": edited('"provider"', '"format": 1,\n  "provider"'),
  "a status is none": edited('"status": 200', '"status": 42'),
  "a content type has two lines": edited(
    '"text/event-stream"',
    '"text/event-stream\\nx-tapedeck-outcome: live"',
  ),
  "a content type is no header's": edited('"text/event-stream"', '"text/日本"'),
  "a wait is negative": edited("[3, 4]", "[3, -4]"),
  "a time is none": edited(/"2026-01-02T.*"/, '"yesterday"'),
  "a name is no list": edited('["a"]', '"a"'),
  "an event has no content": edited('{"text":"[DONE]"}', '{"txt":"[DONE]"}'),
  "an event has two contents": edited('{"text":"[DONE]"}', '{"raw":"","event":"x"}'),
  "an event has a name twice": edited('{"data":{"a":1}}', '{"data":{"a":1,"a":2}}'),
  "an event is no base64": edited('{"text":"[DONE]"}', '{"base64":"!"}'),
  "a reply has no body": edited(/"events": [^]*"waits/, '"waits'),
  "a reply has two bodies": edited('"events"', '"text": "",\n    "events"'),
  "a newer Tapedeck made it": edited('"format": 1', '"format": 2'),
  "it has another key": edited(/"sha256:.*"/, `"sha256:${"0".repeat(64)}"`),
  "it has another provider": edited('"openai"', '"anthropic"'),
};

it("a file with a member that is missing, twice there, or of the wrong kind is reported at its place, as the page has it", async () => {
  const lines = Object.entries(BROKEN).map(([what, file]) => `${what}\n  ${complaint(file)}\n`);

  // `vitest FILE -u` writes the page anew.
  await expect(lines.join("")).toMatchFileSnapshot("broken-files.txt");
});

it("a request that was edited is reported with the key that it has now; a layout or a reply may be edited", () => {
  const verifyKey: NonNullable<Parameters<typeof decodeRecording>[2]>["verifyKey"] = (request) =>
    computeKey(request, sha256);
  const other = aRecording({ question: "How old are you?" });

  expect(complaint(edited("How are you?", "How old are you?"), { verifyKey })).toBe(
    `12:14 "request" does not match the key of the file: it was edited, or the rules changed. Its key is now ${other.key}; npx tapedeck check --fix renames the file.`,
  );
  for (const file of [good, JSON.stringify(JSON.parse(edited('"a":1', '"a":2')))])
    expect(complaint(file, { verifyKey })).toBe("nothing is wrong");
});
