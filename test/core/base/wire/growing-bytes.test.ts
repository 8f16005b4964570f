import { afterEach, expect, it, vi } from "vitest";
import { GrowingBytes } from "../../../../src/core/base/wire/growing-bytes.ts";

const MIB = 1_048_576;

it.each([
  ["nothing", [], 0],
  ["one short piece", [5], 5],
  ["short pieces", [5, 0, 7], 12],
  ["pieces of a long body whose length was said", [MIB, 3, MIB, 9], 2 * MIB + 12],
  ["pieces of a long body whose length was not said", [MIB, 3, MIB, 9], 0],
  ["more than was said", [MIB, MIB, MIB], MIB + 1],
])("%s is the same whole", (_, sizes, expected) => {
  const bytes = new GrowingBytes();
  const pieces = sizes.map((size, at) => new Uint8Array(size).fill(at + 1));
  for (const piece of pieces) {
    bytes.push(piece);
    bytes.expect(expected);
    // Whoever looks at the middle of it changes nothing.
    bytes.all();
  }

  expect(bytes.size).toBe(sizes.reduce((sum, size) => sum + size, 0));
  expect(Buffer.from(bytes.all()).equals(Buffer.concat(pieces))).toBe(true);
  // What is long is worked on in another thread, which sees it where it is.
  expect(bytes.all().buffer instanceof SharedArrayBuffer).toBe(bytes.size > MIB);
});

afterEach(() => void vi.unstubAllGlobals());

it("a long body is whole where threads share no memory, as on most pages of a browser", () => {
  vi.stubGlobal("SharedArrayBuffer", undefined);
  const bytes = new GrowingBytes();

  bytes.push(new Uint8Array(MIB).fill(1));
  bytes.push(new Uint8Array(MIB).fill(2));

  expect(Buffer.from(bytes.all()).equals(Buffer.concat([Buffer.alloc(MIB, 1), Buffer.alloc(MIB, 2)]))).toBe(
    true,
  );
});

it("one piece is given back without a copy", () => {
  const bytes = new GrowingBytes();
  const piece = new Uint8Array(9);
  bytes.push(piece);

  expect(bytes.all()).toBe(piece);
});
