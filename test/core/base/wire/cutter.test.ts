import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createLineCutter, cutAll } from "../../../../src/core/base/wire/cutter.ts";
import { cutBody } from "../../../../src/core/base/wire/framing.ts";
import { createArrayCutter } from "../../../../src/core/base/wire/json-array.ts";
import { encodeUtf8, joinBytes, decodeText } from "../../../../src/core/base/wire/text.ts";
import { cutChunks } from "./cut-chunks.ts";

it("cuts an array after each object and after its bracket, whatever its strings contain", () => {
  const body = '[{"a":"]},{\\"\\\\"}\n,\r\n{"b":[{"c":{}}]}\n]\n';

  const pieces = cutAll(createArrayCutter(), encodeUtf8(body)).map(decodeText);

  expect(pieces).toEqual(['[{"a":"]},{\\"\\\\"}', '\n,\r\n{"b":[{"c":{}}]}', "\n]", "\n"]);
});

const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

it("gives back the body when its lines are joined, and the same lines for any bytes and any chunking", () => {
  const text = fc
    .array(fc.oneof(fc.json(), fc.constantFrom("\n", "\r\n", "\r", "é🙂", " ")))
    .map((pieces) => encodeUtf8(pieces.join("")));

  fc.assert(
    fc.property(fc.oneof(text, fc.uint8Array({ maxLength: 200 })), sizes, (body, cuts) => {
      const { pieces: lines, rest } = cutChunks(createLineCutter(), body, cuts);

      const all = rest.byteLength > 0 ? [...lines, rest] : lines;
      expect(all.map((line) => [...line])).toEqual(cutBody(body, "lines").map((line) => [...line]));
      expect([...joinBytes(all)]).toEqual([...body]);
      expect(lines.every((line) => line.indexOf(10) === line.byteLength - 1)).toBe(true);
      expect(rest.includes(10)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

it("cuts an array into a piece for each object and one for its bracket, in any chunking", () => {
  const elements = fc.array(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), { maxLength: 6 });

  fc.assert(
    fc.property(elements, sizes, (values, cuts) => {
      const body = JSON.stringify(values);

      const { pieces, rest } = cutChunks(createArrayCutter(), encodeUtf8(body), cuts);

      expect(pieces.length).toBe(values.length + 1);
      expect(rest.byteLength).toBe(0);
      expect(decodeText(joinBytes(pieces))).toBe(body);
      const objects = pieces.slice(0, -1).map((piece) => decodeText(piece).replace(/^[[,]/, ""));
      expect(objects.map((one) => JSON.parse(one) as unknown)).toEqual(JSON.parse(body));
    }),
  );
});

it("keeps every byte of a body that is no array", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
      expect(Buffer.from(joinBytes(cutAll(createArrayCutter(), body)))).toEqual(Buffer.from(body));
    }),
  );
});
