import { array, assert, boolean, constantFrom, nat, oneof, property, tuple, uint8Array } from "fast-check";
import { expect, it } from "vitest";
import { DigestMap } from "../../src/core/digest-map.ts";
import { bytes, digest } from "../support/a-recording.ts";

/** Digests of few beginnings and endings, so that many want one place and differ late. */
const alike = tuple(constantFrom("\0\0\0\0", "\x01\0\0\0", "\xff\xff\xff\xff"), nat({ max: 40 })).map(
  ([first, last]) => first.padEnd(31, "\0") + String.fromCharCode(last),
);
const any = uint8Array({ minLength: 32, maxLength: 32 }).map((values) =>
  Buffer.from(values).toString("latin1"),
);

it("gives for each digest what was set for it last, as a map does", () => {
  const steps = array(tuple(oneof(alike, any), boolean()), { maxLength: 200 });
  assert(
    property(steps, (todo) => {
      const [ours, map] = [new DigestMap<object>(), new Map<string, object>()];
      for (const [key, isSet] of todo) {
        const value = {};
        if (isSet) ours.set(key, value);
        if (isSet) map.set(key, value);
        expect(ours.get(key)).toBe(map.get(key));
      }
      for (const [key, value] of map) expect(ours.get(key)).toBe(value);
    }),
  );
});

it("tells twenty thousand digests apart, and knows no other", () => {
  const map = new DigestMap<{ readonly nth: number }>();
  const of = (nth: number): string => digest(bytes(`body ${nth}`));

  for (let nth = 0; nth < 20_000; nth += 1) map.set(of(nth), { nth });

  const wrong = Array.from({ length: 40_000 }, (_, nth) => nth).filter(
    (nth) => map.get(of(nth))?.nth !== (nth < 20_000 ? nth : undefined),
  );
  expect(wrong).toEqual([]);
});

it("tells digests apart that differ in one bit, whichever it is", () => {
  const of = (bit: number): string => {
    const digits = Buffer.alloc(32, 0x5a);
    digits[bit >> 3] = 0x5a ^ (1 << (bit & 7));
    return digits.toString("latin1");
  };
  const map = new DigestMap<{ readonly bit: number }>();

  for (let bit = 0; bit < 256; bit += 1) map.set(of(bit), { bit });

  expect(map.get(Buffer.alloc(32, 0x5a).toString("latin1"))).toBeUndefined();
  expect(Array.from({ length: 256 }, (_, bit) => map.get(of(bit))?.bit)).toEqual(
    Array.from({ length: 256 }, (_, bit) => bit),
  );
});
