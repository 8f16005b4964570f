import * as fc from "fast-check";
import { expect, it } from "vitest";
import { cutAll } from "../../../../src/core/base/wire/cutter.ts";
import { createArrayCutter } from "../../../../src/core/base/wire/json-array.ts";
import { createLineCutter } from "../../../../src/core/base/wire/cutter.ts";
import { encodeUtf8, joinBytes, decodeText } from "../../../../src/core/base/wire/text.ts";

it("an array is cut after each object and after its bracket, whatever its strings contain", () => {
  const body = '[{"a":"]},{\\"\\\\"}\n,\r\n{"b":[{"c":{}}]}\n]\n';

  const pieces = cutAll(createArrayCutter(), encodeUtf8(body)).map(decodeText);

  expect(pieces).toEqual(['[{"a":"]},{\\"\\\\"}', '\n,\r\n{"b":[{"c":{}}]}', "\n]", "\n"]);
});

const elements = fc.array(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), { maxLength: 6 });
const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

it("an array has a piece an object and one for its bracket, in any chunking", () => {
  fc.assert(
    fc.property(elements, sizes, (values, cuts) => {
      const body = encodeUtf8(JSON.stringify(values));
      const cutter = createArrayCutter();
      const pieces: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < body.byteLength; turn += 1) {
        const size = cuts[turn % cuts.length] ?? 1;
        pieces.push(...cutter.push(body.subarray(at, at + size)));
        at += size;
      }

      expect(pieces.length).toBe(values.length + 1);
      expect(cutter.rest().byteLength).toBe(0);
      expect(decodeText(joinBytes(pieces))).toBe(decodeText(body));
      expect(
        pieces.slice(0, -1).map((piece) => JSON.parse(decodeText(piece).replace(/^[[,]/, "")) as unknown),
      ).toEqual(JSON.parse(JSON.stringify(values)));
    }),
  );
});

it("lines and arrays keep every byte of anything", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
      for (const cutter of [createLineCutter(), createArrayCutter()])
        expect(Buffer.from(joinBytes(cutAll(cutter, body)))).toEqual(Buffer.from(body));
    }),
  );
});

it("lines of JSON are cut one a value, in any chunking", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), sizes, (values, cuts) => {
      const body = encodeUtf8(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
      const cutter = createLineCutter();
      const pieces: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < body.byteLength; turn += 1) {
        const size = cuts[turn % cuts.length] ?? 1;
        pieces.push(...cutter.push(body.subarray(at, at + size)));
        at += size;
      }

      expect(pieces.map((piece) => JSON.parse(decodeText(piece)) as unknown)).toEqual(
        JSON.parse(JSON.stringify(values)),
      );
    }),
  );
});
