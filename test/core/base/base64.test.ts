import * as fc from "fast-check";
import { casesOf } from "../../support/cases.ts";
import { describe, expect, it, vi } from "vitest";
import { isBase64 } from "../../../src/core/base/base64.ts";

const node = Buffer;

describe.each([
  ["Node", node],
  ["a browser", undefined],
])("in %s", async (_where, ownBuffer) => {
  vi.resetModules();
  vi.stubGlobal("Buffer", ownBuffer);
  const { decodeBase64, encodeBase64 } = await import("../../../src/core/base/base64.ts");
  vi.unstubAllGlobals();

  it("encodes any bytes as Node does, and decodes them again", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        const text = encodeBase64(bytes);

        expect(text).toBe(node.from(bytes).toString("base64"));
        expect(decodeBase64(text)).toEqual(bytes);
      }),
    );
  });

  it("takes a text only if encoding would give it again", () => {
    const base64ish = fc.string({
      unit: fc.constantFrom("A", "B", "/", "+", "9", "=", "Q", "-", "é", "\n"),
      maxLength: 12,
    });

    fc.assert(
      fc.property(base64ish, (text) => {
        const again = node.from(text, "base64").toString("base64");

        expect(decodeBase64(text) !== undefined).toBe(again === text);
      }),
      { numRuns: casesOf({ quick: 1_000, long: 5_000 }) },
    );
  });
});

it.each([
  ["aB3/", true],
  ["aB3-_w", true],
  ["aA==", true],
  ["aA=", true],
  ["", false],
  ["==", false],
  ["a=b=", false],
  ["aA===", false],
  ["aB3/ ", false],
  ["äB3/", false],
])("%j reads as base64: %j", (text, expected) => {
  expect(isBase64(text)).toBe(expected);
});

it("megabytes of base64 read as such, and do not with a last character that is none", () => {
  const data = "aB3/".repeat(16 * 1_048_576);

  expect([isBase64(data), isBase64(`${data}!`)]).toEqual([true, false]);
});
