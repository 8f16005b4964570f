import { crc32 } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutAll } from "../../../../src/core/base/wire/cutter.ts";
import {
  createMessageCutter,
  getHeaderText,
  readMessage,
  writeMessage,
  type EventMessage,
} from "../../../../src/core/base/wire/event-stream.ts";
import {
  findMessageFault,
  writeMessageFrame,
  readMessages,
} from "../../../../src/core/base/wire/event-stream-text.ts";
import { encodeUtf8, joinBytes } from "../../../../src/core/base/wire/text.ts";
import { eventMessage } from "../../../support/event-message.ts";
import { cutChunks } from "./cut-chunks.ts";

const message: fc.Arbitrary<EventMessage> = fc.record({
  headers: fc.array(
    fc.record({
      name: fc.string({ minLength: 1, maxLength: 20 }),
      value: fc.string({ unit: "grapheme", maxLength: 40 }),
    }),
    {
      maxLength: 4,
    },
  ),
  payload: fc.uint8Array({ maxLength: 200 }),
});

const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });

describe("messages of an AWS event stream", () => {
  it("are read as they were written", () => {
    fc.assert(
      fc.property(message, (written) => {
        const read = readMessage(writeMessage(written));

        expect(read).toEqual(written);
      }),
    );
  });

  it("are cut alike in any chunking, and join to the body", () => {
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 5 }),
        sizes,
        fc.uint8Array({ maxLength: 20 }),
        (all, cuts, tail) => {
          const whole = all.map(writeMessage);
          const body = joinBytes([...whole, tail]);

          const { pieces, rest } = cutChunks(createMessageCutter(), body, cuts);

          expect(pieces.slice(0, whole.length).map((piece) => Buffer.from(piece))).toEqual(
            whole.map((piece) => Buffer.from(piece)),
          );
          expect(Buffer.from(joinBytes([...pieces, rest]))).toEqual(Buffer.from(body));
        },
      ),
    );
  });

  it("that have one wrong bit anywhere are never taken for whole", () => {
    fc.assert(
      fc.property(message, fc.nat(), fc.integer({ min: 0, max: 7 }), (written, place, bit) => {
        const bytes = writeMessage(written);
        const at = place % bytes.byteLength;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);

        expect(findMessageFault(bytes)).toBeDefined();
      }),
    );
  });

  it("are any bytes without an error, and every byte is kept", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
        expect(Buffer.from(joinBytes(cutAll(createMessageCutter(), body)))).toEqual(Buffer.from(body));
        expect(Array.isArray(readMessages(body))).toBe(true);
      }),
    );
  });

  it.each([
    ["its checksum does not match", (bytes: Buffer) => bytes.fill(0, 40, 41)],
    ["the checksum of its prelude does not match", (bytes: Buffer) => bytes.fill(9, 1, 2)],
    ["it ends after 30 of 98 bytes", (bytes: Buffer) => bytes.subarray(0, 30)],
    ["it ends after 5 bytes", (bytes: Buffer) => bytes.subarray(0, 5)],
    ["3 bytes follow it", (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(3)])],
  ])("that are broken say how: %s", (fault, breakIt) => {
    expect(findMessageFault(breakIt(eventMessage({ ":event-type": "chunk" }, '{"a":1}')))).toBe(fault);
  });

  it("with a corrupt length take the rest of the body with them", () => {
    const good = eventMessage({ ":event-type": "a" }, "{}");
    const noise = Buffer.alloc(64, 255);

    const pieces = cutAll(createMessageCutter(), Buffer.concat([good, noise, good]));

    expect(pieces.map(findMessageFault)).toEqual([undefined, "the checksum of its prelude does not match"]);
  });

  it("made elsewhere are read with their headers", () => {
    const bytes = eventMessage({ ":event-type": "messageStart" }, '{"role":"assistant"}');
    const read = readMessage(bytes);

    expect(typeof read === "string" ? read : getHeaderText(read, ":event-type")).toBe("messageStart");
    expect(writeMessageFrame(bytes)).toBe('event: messageStart\ndata: {"role":"assistant"}\n\n');
  });

  it("with headers of other types are read, without these headers", () => {
    const texts = writeMessage({ headers: [{ name: "a", value: "b" }], payload: encodeUtf8("{}") });
    // A number of 32 bits and a flag behind the text.
    const others = Buffer.concat([Buffer.from([1, 0x6e, 4, 0, 0, 0, 5]), Buffer.from([1, 0x74, 0])]);
    const bytes = Buffer.concat([texts.subarray(0, 18), others, texts.subarray(18)]);
    bytes.writeUInt32BE(bytes.byteLength, 0);
    bytes.writeUInt32BE(6 + others.byteLength, 4);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 8)), 8);
    bytes.writeUInt32BE(crc32(bytes.subarray(0, -4)), bytes.byteLength - 4);

    expect(readMessage(Uint8Array.from(bytes))).toEqual({
      headers: [{ name: "a", value: "b" }],
      hasOtherHeaders: true,
      payload: encodeUtf8("{}"),
    });
  });

  it("that are exceptions or wrap a model's text are decoded", () => {
    const wrapped = JSON.stringify({ bytes: Buffer.from('{"text":"ü"}').toString("base64"), p: "abc" });
    const exception = {
      ":event-type": "",
      ":message-type": "exception",
      ":exception-type": "throttlingException",
    };
    const body = Buffer.concat([
      eventMessage({ ":event-type": "chunk" }, wrapped),
      eventMessage(exception, '{"message":"slow"}'),
    ]);

    expect(readMessages(body)).toEqual([
      { event: "chunk", data: '{"text":"ü"}' },
      { event: "exception:throttlingException", data: '{"message":"slow"}' },
    ]);
  });

  it.each([[[{ name: "x".repeat(256), value: "" }]], [[{ name: "x", value: "x".repeat(65_536) }]]])(
    "that do not fit are not written (%#)",
    (headers) => {
      expect(() => writeMessage({ headers, payload: encodeUtf8("") })).toThrow(RangeError);
    },
  );
});
