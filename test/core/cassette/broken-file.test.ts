import { describe, expect, it } from "vitest";
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

describe("a file that is not JSON", () => {
  it("is reported at its first bad position", () => {
    expect(complaint(edited('"provider": ', '"provider" '))).toBe('3:14 a ":" is missing.');
    expect(complaint(edited('"openai",', '"openai"'))).toBe('4:3 a "," is missing.');
    expect(complaint(edited('"openai",', "openai,"))).toBe("3:15 this is not a value.");
    expect(complaint(edited('"openai"', '"open\\ai"'))).toContain("3:15 a string contains an invalid escape");
    expect(complaint(`${good}}`)).toBe("35:1 there is something after its end.");
  });

  it("is reported as empty, cut off, or full of zeros, as crashes leave files", () => {
    const half = good.slice(0, good.indexOf('"request"') + 4);

    expect(complaint("")).toBe("1:1 it is empty.");
    expect(complaint(" \n")).toBe("1:1 it is empty.");
    expect(complaint(half)).toBe("12:7 it is cut off.");
    expect(complaint(good.slice(0, -3))).toContain("it is cut off.");
    expect(complaint("\0".repeat(200))).toBe("1:1 it contains zero bytes, as after a power failure.");
  });

  it("is distinguished from an unfinished merge", () => {
    const merge = edited(
      '  "operation"',
      '<<<<<<< HEAD\n  "operation": "x",\n=======\n  "operation": "y",\n>>>>>>> theirs\n  "operation"',
    );

    expect(complaint(merge)).toBe("4:1 it contains merge conflict markers. Run tapedeck git resolve.");
  });

  it("is reported when it is not UTF-8", () => {
    const latin = Buffer.from(edited('"a.test.ts"', '"ä.test.ts"'), "latin1");
    const wide = Buffer.from(`\ufeff${good}`, "utf16le");

    expect(complaint(latin)).toBe("9:14 it is not UTF-8.");
    expect(complaint(wide)).toBe("1:1 it is not UTF-8.");
  });

  it("does not bring the reader down however deep it is nested", () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;

    expect(complaint(deep)).toBe("its values are nested too deeply.");
  });
});

describe("a file that is not a recording", () => {
  it("is reported at the member that is missing, twice there or of the wrong kind", () => {
    expect(complaint("[]")).toBe("1:1 it is not a JSON object.");
    expect(complaint("{}")).toBe('1:1 the file has no "format".');
    expect(complaint(edited(/ {2}"provider".*\n/, ""))).toBe('1:1 the file has no "provider".');
    expect(complaint(edited(/ {4}"method".*\n/, ""))).toBe('12:14 "request" has no "method".');
    expect(complaint(edited('"openai"', "1"))).toBe('3:15 "provider" must be a string.');
    expect(complaint(edited('"provider"', '"format": 1,\n  "provider"'))).toBe(
      '3:3 the member "format" appears twice.',
    );
    expect(complaint(edited('"status": 200', '"status": 42'))).toContain(
      '"reply.status" must be a number, 200 or more',
    );
    for (const type of ["text/event-stream\\nx-tapedeck-outcome: live", "text/日本"])
      expect(complaint(edited('"text/event-stream"', `"${type}"`))).toContain(
        '"reply.contentType" must be a header value: one line of characters up to U+00FF',
      );
    expect(complaint(edited("[3, 4]", "[3, -4]"))).toBe(
      '32:20 "reply.waitsMs[1]" must be a number, 0 or more.',
    );
    expect(complaint(edited(/"2026-01-02T.*"/, '"yesterday"'))).toContain(
      '"recordedAt" must be a time such as',
    );
    expect(complaint(edited('["a"]', '"a"'))).toContain('"test.name" must be a list');
  });

  it("is reported when an event of its stream is invalid", () => {
    expect(complaint(edited('{"text":"[DONE]"}', '{"txt":"[DONE]"}'))).toBe(
      '30:7 "reply.events[1]" needs one of "data", "text", "raw", and "base64".',
    );
    expect(complaint(edited('{"text":"[DONE]"}', '{"raw":"","event":"x"}'))).toBe(
      '30:25 "reply.events[1].event" cannot be combined with "raw".',
    );
    expect(complaint(edited('{"data":{"a":1}}', '{"data":{"a":1,"a":2}}'))).toBe(
      '29:22 the member "a" appears twice.',
    );
    expect(complaint(edited('{"text":"[DONE]"}', '{"base64":"!"}'))).toContain(
      '"reply.events[1].base64" is not base64',
    );
  });

  it("is reported when its reply has no body, or two", () => {
    const none = edited(/"events": [^]*"waits/, '"waits');
    const two = edited('"events"', '"text": "",\n    "events"');

    expect(complaint(none)).toContain('"reply" needs one of "body", "events", "text", and "base64".');
    expect(complaint(two)).toContain('"reply.text" cannot be combined with "reply.events".');
  });

  it("is not guessed at when a newer Tapedeck made it", () => {
    expect(complaint(edited('"format": 1', '"format": 2'))).toBe(
      '2:13 "format" is 2: it was written by a newer version of Tapedeck. Update Tapedeck to read it.',
    );
  });
});

describe("a file whose name and content disagree", () => {
  const verifyKey: NonNullable<Parameters<typeof decodeRecording>[2]>["verifyKey"] = (request) =>
    computeKey(request, sha256);

  it("is reported when it holds another key or another provider", () => {
    expect(complaint(edited(/"sha256:.*"/, `"sha256:${"0".repeat(64)}"`))).toBe(
      `6:10 "key" is not the key in the name of the file.`,
    );
    expect(complaint(edited('"openai"', '"anthropic"'))).toBe(
      '3:15 "provider" is "anthropic", but the file is in the folder of "openai".',
    );
  });

  it("is reported when its request was edited, with the key that it has now", () => {
    const other = aRecording({ question: "How old are you?" });

    expect(complaint(edited("How are you?", "How old are you?"), { verifyKey })).toBe(
      `12:14 "request" does not match the key of the file: it was edited, or the rules changed. Its key is now ${other.key}.`,
    );
  });

  it("is read when only its layout or its reply was edited", () => {
    expect(complaint(good, { verifyKey })).toBe("nothing is wrong");
    expect(complaint(JSON.stringify(JSON.parse(edited('"a":1', '"a":2'))), { verifyKey })).toBe(
      "nothing is wrong",
    );
  });
});
