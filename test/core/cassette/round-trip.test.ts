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

const anyOf = (...texts: readonly string[]) => fc.constantFrom(...texts);

/** Content just below and above the size from which it is stored in a separate file. */
const content = fc
  .tuple(fc.constantFrom(0, 300, INLINE_BYTES, INLINE_BYTES + 1, INLINE_BYTES + 2, 150_000), fc.nat(255))
  .map(([size, seed]) => new Uint8Array(size).map((_, index) => (index * 31 + seed) % 256));

const text = fc.oneof(
  content.map(encodeBase64),
  content.map((data) => `data:image/png;base64,${encodeBase64(data)}`),
  content.map((data) => `${encodeBase64(data).replace(/=+$/, "")}\n`),
  fc.string({ unit: "binary", maxLength: 40 }),
  anyOf("", "{", "[1]", '"a"', "null", "1.0", "\ufeff{}", "\r\n", "é", "word ".repeat(20_000)),
);

const json = fc
  .tuple(text, text, anyOf("a", "a/b~c", "", "__proto__", "bytes", "blobs"))
  .chain(([one, other, name]) =>
    fc.constantFrom<unknown>(one, { [name]: [one, other] }, [{ [name]: one, other }], {
      text: one,
      base64: other,
    }),
  )
  .map((value) => JSON.stringify(value));

const part = 'content-disposition: form-data; name="file"; filename="a"\r\ncontent-type: text/plain';
const multipart = text.map((file) => `--b\r\n${part}\r\n\r\n${file}\r\n--b--\r\n`);

/** Fragments of streams and JSON in any order. */
const fragments = fc
  .array(
    fc.oneof(
      anyOf("data: ", "data:", "event: ", "event:ping", "id: 1", ": note", "", "[DONE]"),
      anyOf("\n", "\n\n", "\r\n\r\n", "\r\r", "\r\n", ""),
      fc.tuple(fc.json(), fc.nat(2)).map(([one, indent]) => JSON.stringify(JSON.parse(one), null, indent)),
      anyOf('{"a": 1}', '{"a":1.0,"b":[ ]}', '"\\ud800"', '{"é":"\\u00e9"}', "\ufeff", '{"a":1,"a":1}'),
      json,
    ),
  )
  .map((pieces) => bytes(pieces.join("")));

/** Messages of AWS, whole, cut, and with a wrong checksum. */
const messages = fc
  .tuple(fc.array(fc.json(), { maxLength: 4 }), fc.nat(2), fc.nat())
  .map(([payloads, damage, at]) => {
    const all = Buffer.concat(payloads.map((one) => eventMessage({ ":event-type": "chunk" }, one)));
    if (damage === 1 && all.length > 0) all.writeUInt8(0, at % all.length);
    return Uint8Array.from(damage === 2 ? all.subarray(0, all.length - 9) : all);
  });

const body = fc.oneof(
  fc.uint8Array(),
  fragments,
  messages,
  content,
  fc.oneof(json, text, multipart).map(bytes),
  fc.tuple(fragments, content).map((both) => Buffer.concat(both)),
);

const contentType = fc.constantFrom(
  undefined,
  ..."application/json application/octet-stream application/x-ndjson application/x-www-form-urlencoded".split(
    " ",
  ),
  ..."audio/mpeg text/event-stream text/plain application/vnd.amazon.eventstream".split(" "),
  "multipart/form-data; boundary=b",
);
const headers = fc.constantFrom(undefined, [], [["range", "bytes=0-9"]] as const);

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

const typed = (type: string | undefined) => (type === undefined ? {} : { contentType: type });
const keyed = (kept: RecordedRequest["headers"]) => (kept === undefined ? {} : { headers: kept });

describe("whatever is written", () => {
  it("is read back as the request that it was, under the same key", () => {
    const runs = { tried: 0 };
    fc.assert(
      fc.property(
        contentType,
        anyOf("http", "files.create"),
        headers,
        body,
        (type, operation, kept, sent) => {
          const request: Partial<RecordedRequest> = { body: sent, ...typed(type), ...keyed(kept) };
          let recording: Recording;
          try {
            recording = aRecording({ operation, request });
          } catch {
            // No call has such a body.
            return;
          }
          runs.tried += 1;

          const back = readBack(recording);

          expect(comparable(back.request, operation)).toEqual(comparable(recording.request, operation));
        },
      ),
      { numRuns: casesOf({ quick: 20, long: 3_000 }) },
    );
    expect(runs.tried).toBeGreaterThan(10);
  });

  it("is read back as the reply that it was, byte for byte", () => {
    fc.assert(
      fc.property(contentType, headers, body, (type, kept, sent) => {
        const { contentType: _, ...plain } = aRecording().reply;
        const status = 200 + (sent.length % 400);
        const waits = sent.length % 3 === 0 && { waitsMs: [0, sent.length] };
        const reply: RecordedReply = {
          ...plain,
          status,
          body: sent,
          ...waits,
          ...typed(type),
          ...keyed(kept),
        };

        const back = readBack({ ...aRecording(), reply });

        expect({ ...back.reply, body: sha256(back.reply.body) }).toEqual({ ...reply, body: sha256(sent) });
      }),
      { numRuns: casesOf({ quick: 20, long: 3_000 }) },
    );
  });
});
