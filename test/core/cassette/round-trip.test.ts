import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRecordingAddress } from "../../../src/core/cassette/address.ts";
import { encodeBase64 } from "../../../src/core/base/base64.ts";
import { INLINE_BYTES } from "../../../src/core/cassette/blobs.ts";
import { decodeRecording, encodeRecording } from "../../../src/core/cassette/codec.ts";
import type { RecordedReply, RecordedRequest, Recording } from "../../../src/core/cassette/recording.ts";
import { writeCanonicalJson, computeKey } from "../../../src/core/match/key/key.ts";
import { readBody } from "../../../src/core/base/read-body.ts";
import { casesOf } from "../../support/cases.ts";
import { aRecording, bytes, sha256 } from "../../support/a-recording.ts";
import { eventMessage } from "../../support/event-message.ts";

/** Content just below and above the size from which it is stored in a separate file. */
const content = fc
  .tuple(fc.constantFrom(0, 3, 300, INLINE_BYTES, INLINE_BYTES + 1, INLINE_BYTES + 2, 150_000), fc.nat(255))
  .map(([size, seed]) => new Uint8Array(size).map((_, index) => (index * 31 + seed) % 256));

const text = fc.oneof(
  content.map(encodeBase64),
  content.map((data) => `data:image/png;base64,${encodeBase64(data)}`),
  content.map((data) => encodeBase64(data).replace(/=+$/, "")),
  content.map((data) => `${encodeBase64(data)}\n`),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("", "{", "[1]", '"a"', "null", "1.0", "\ufeff{}", "\r\n", "é", "word ".repeat(20_000)),
);

const json = fc
  .tuple(text, text, fc.constantFrom("a", "a/b~c", "", "__proto__", "bytes", "blobs"))
  .chain(([one, other, name]) =>
    fc.constantFrom<unknown>(
      one,
      [one, other],
      { [name]: one },
      { outer: [{ [name]: one, other }] },
      { text: one, base64: other },
    ),
  )
  .map((value) => JSON.stringify(value));

const TYPES = [
  undefined,
  "application/json",
  "application/problem+json",
  "application/octet-stream",
  "application/x-ndjson",
  "application/x-www-form-urlencoded",
  "audio/mpeg",
  "multipart/form-data; boundary=b",
  "text/event-stream",
  "text/plain; charset=utf-8",
  "application/vnd.amazon.eventstream",
] as const;

const multipart = fc
  .tuple(text, text)
  .map(
    ([field, file]) =>
      `--b\r\ncontent-disposition: form-data; name="purpose"\r\n\r\n${field}\r\n` +
      `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\ncontent-type: text/plain\r\n\r\n${file}\r\n--b--\r\n`,
  );

const stream = fc
  .array(fc.oneof(json, text), { maxLength: 3 })
  .chain((data) =>
    fc.constantFrom(
      data.map((one) => `data: ${one}\n\n`).join(""),
      data.map((one) => `event: e\r\ndata: ${one}\r\n\r\n`).join(""),
      data.map((one) => `: ${one}\n\n`).join(""),
      data.map((one) => `${one}\n`).join(""),
      data.map((one) => `data:${one}`).join("\n\n"),
    ),
  );

/** Fragments of streams and JSON, in any order, and with a byte that is no text. */
const fragments = fc
  .array(
    fc.oneof(
      fc.constantFrom("data: ", "data:", "event: ", "event:ping", "id: 1", ": note", "", "[DONE]"),
      fc.constantFrom("\n", "\n\n", "\r\n\r\n", "\r\r", "\r\n", ""),
      fc
        .tuple(fc.json(), fc.constantFrom(0, 1, 2), fc.constantFrom("", " ", "   "))
        .map(([one, indent, pad]) =>
          JSON.stringify(JSON.parse(one), null, indent).replace(/.$/s, `${pad}$&`),
        ),
      fc.constantFrom(
        '{"a": 1}',
        '{"a":1.0,"b":[ ]}',
        '"\\ud800"',
        '{"é":"\\u00e9"}',
        "\ufeff",
        '{"a":1,"a":1}',
      ),
    ),
  )
  .map((pieces) => bytes(pieces.join("")));
const broken = fc
  .tuple(fragments, fc.nat(), fc.integer({ min: 128, max: 255 }))
  .map(([whole, at, byte]) => (whole.length === 0 ? whole : whole.with(at % whole.length, byte)));

/** Messages of AWS, whole, cut, and with a wrong checksum. */
const messages = fc
  .tuple(
    fc.array(fc.oneof(fc.json(), fc.string({ unit: "grapheme" })), { maxLength: 4 }),
    fc.nat(3),
    fc.nat(),
  )
  .map(([payloads, damage, at]) => {
    const all = Buffer.concat(payloads.map((one) => eventMessage({ ":event-type": "chunk" }, one)));
    if (damage === 1 && all.length > 0) all.writeUInt8(0, at % all.length);
    return Uint8Array.from(damage === 2 ? all.subarray(0, all.length - 9) : all);
  });

const body = fc.oneof(
  fc.uint8Array(),
  fragments,
  broken,
  messages,
  content,
  json.map(bytes),
  text.map(bytes),
  multipart.map(bytes),
  stream.map(bytes),
  fc.tuple(stream, content).map(([begun, rest]) => Buffer.concat([bytes(begun), rest])),
);

const headers = fc.option(
  fc
    .dictionary(
      fc.constantFrom("range", "x-a", "ai-model-id"),
      fc.oneof(content.map(encodeBase64), fc.string()),
      {
        noNullPrototype: true,
      },
    )
    .map((found) =>
      Object.entries(found).map(([name, value]) => [name, value.replaceAll(/[^ -~]/g, "")] as const),
    ),
  { nil: undefined },
);

/** A recording as it is read back from its file, with its blobs beside it. */
function readBack(recording: Recording): Recording {
  const { text: file, blobs } = encodeRecording(recording, { sha256 });
  const address = createRecordingAddress(recording.provider, recording.key, 1);
  return decodeRecording(file, address, {
    sha256,
    readBlob: (name) => blobs.get(name),
    verifyKey: (request) => computeKey(request, sha256),
  });
}

/** JSON of a request keeps its values and not its white space. */
function comparable({ body: sent, ...request }: RecordedRequest, operation: string): unknown {
  const read = readBody({ body: sent, contentType: request.contentType, operation });
  const asked = read.kind === "json" ? writeCanonicalJson(read.tree) : sha256(sent);
  return { method: request.method, headers: request.headers, kind: read.kind, asked };
}

const contentType = fc.constantFrom(...TYPES);
const operation = fc.constantFrom("http", "files.create");

function isReadable(request: RecordedRequest, named: string): boolean {
  try {
    aRecording({ operation: named, request });
    return true;
  } catch {
    return false;
  }
}

describe("whatever is written", () => {
  it("is read back as the request that it was, under the same key", () => {
    const runs = { tried: 0 };
    fc.assert(
      fc.property(contentType, operation, headers, body, (type, named, kept, sent) => {
        const asked: Partial<RecordedRequest> = {
          body: sent,
          ...(type !== undefined && { contentType: type }),
          ...(kept !== undefined && { headers: kept }),
        };
        fc.pre(isReadable(asked as RecordedRequest, named));
        runs.tried += 1;
        const recording = aRecording({ operation: named, request: asked });

        const back = readBack(recording);

        expect(comparable(back.request, named)).toEqual(comparable(recording.request, named));
      }),
      { numRuns: casesOf({ quick: 15, long: 3_000 }) },
    );
    expect(runs.tried).toBeGreaterThan(casesOf({ quick: 10, long: 30 }));
  });

  it("is read back as the reply that it was, byte for byte", () => {
    fc.assert(
      fc.property(contentType, headers, body, (type, kept, sent) => {
        const { contentType: _, ...plain } = aRecording().reply;
        const reply: RecordedReply = {
          ...plain,
          status: 200 + (sent.length % 400),
          body: sent,
          ...(sent.length % 3 === 0 && { waitsMs: [0, sent.length] }),
          ...(type !== undefined && { contentType: type }),
          ...(kept !== undefined && { headers: kept }),
        };

        const back = readBack({ ...aRecording(), reply });

        expect({ ...back.reply, body: sha256(back.reply.body) }).toEqual({ ...reply, body: sha256(sent) });
      }),
      { numRuns: casesOf({ quick: 20, long: 3_000 }) },
    );
  });
});
