import { array, assert, integer, json, oneof, property, constantFrom, uint8Array } from "fast-check";
import { expect, it } from "vitest";
import { createLineCutter } from "../../../../src/core/base/wire/cutter.ts";
import { cutBody } from "../../../../src/core/base/wire/framing.ts";
import { encodeUtf8, joinBytes, decodeText } from "../../../../src/core/base/wire/text.ts";

it("cuts newline-delimited JSON after each line feed and keeps an open last line", () => {
  const lines = cutBody(encodeUtf8('{"a":1}\n{"b":2}\r\n\n{"c":'), "lines").map(decodeText);

  expect(lines).toEqual(['{"a":1}\n', '{"b":2}\r\n', "\n", '{"c":']);
});

it("splits lines the same way when they arrive byte by byte", () => {
  const body = encodeUtf8('{"text":"é🙂"}\n{"b":2}\n');
  const cutter = createLineCutter();

  const lines = [...body].flatMap((byte) => cutter.push(new Uint8Array([byte])));

  expect(lines).toEqual(cutBody(body, "lines"));
  expect(cutter.rest()).toHaveLength(0);
});

it("gives back the body when its lines are joined, and the same lines for any bytes and any chunking", () => {
  const text = array(oneof(json(), constantFrom("\n", "\r\n", "\r", "é🙂", " "))).map((pieces) =>
    encodeUtf8(pieces.join("")),
  );
  const sizes = array(integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

  assert(
    property(oneof(text, uint8Array({ maxLength: 200 })), sizes, (body, cuts) => {
      const cutter = createLineCutter();
      const lines: Uint8Array[] = [];
      for (let at = 0, turn = 0; at < body.byteLength; turn += 1) {
        const size = cuts[turn % cuts.length] ?? 1;
        lines.push(...cutter.push(body.subarray(at, at + size)));
        at += size;
      }
      const rest = cutter.rest();

      const all = rest.byteLength > 0 ? [...lines, rest] : lines;
      expect(all.map((line) => [...line])).toEqual(cutBody(body, "lines").map((line) => [...line]));
      expect([...joinBytes(all)]).toEqual([...body]);
      expect(lines.every((line) => line.indexOf(10) === line.byteLength - 1)).toBe(true);
      expect(rest.includes(10)).toBe(false);
    }),
    { numRuns: 500 },
  );
});
