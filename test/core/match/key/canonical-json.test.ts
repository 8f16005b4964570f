import { assert, bigInt, constantFrom, double, integer, property, tuple } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../../src/core/base/json/json-parse.ts";
import { writeCanonicalJson, writeCanonicalNumber } from "../../../../src/core/match/key/key.ts";

const canonical = (text: string): string => writeCanonicalJson(parseJson(text));

describe("the canonical text of JSON", () => {
  it("sorts members as RFC 8785, 3.2.3 shows", () => {
    const text = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`;

    const names = Object.values(
      JSON.parse(
        `[${canonical(text)
          .slice(1, -1)
          .replaceAll(/"[^"]*":/g, "")}]`,
      ) as object,
    );

    expect(names.join(", ")).toBe(
      "Carriage Return, One, Control, Latin Small Letter O With Diaeresis, Euro Sign, Emoji: Grinning Face, Hebrew Letter Dalet With Dagesh",
    );
  });

  it("writes the example of RFC 8785, 3.2.2, except the number that a double cannot hold", () => {
    const text = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;

    expect(canonical(text)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[33333333333333329e-8,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it.each([
    ["1", "1.0", "1e0", "10e-1", "0.1E+1", "1.000"],
    ["0", "-0", "0.0", "-0e5", "0e999999999999999999999"],
    ["100000000000000000000", "1e20", "1E+20", "10000e16"],
    ["1e+400", "10e399", "0.1e401"],
    ["9007199254740993", "9007199254740993.0", "900719925474099.3e1"],
  ])("takes %s and its other spellings for one number", (...lexemes) => {
    expect(new Set(lexemes.map(writeCanonicalNumber)).size).toBe(1);
  });

  it.each([
    ["9007199254740992", "9007199254740993"],
    ["0.7", "0.70000000000000001"],
    ["1e400", "1e401"],
    ["1e400", "-1e400"],
    ["1e-400", "0"],
    ["5e-324", "4.9e-324"],
    ["1e999999999", "1e999999998"],
    ["1e99999999999999999999", "1e99999999999999999998"],
    ["123456789012345678901234567890", "123456789012345678901234567891"],
  ])("takes %s and %s for two numbers", (a, b) => {
    expect(writeCanonicalNumber(a)).not.toBe(writeCanonicalNumber(b));
  });

  it("writes every double as ECMAScript does", () => {
    assert(
      property(double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(writeCanonicalNumber(String(number))).toBe(String(number === 0 ? 0 : number));
      }),
      { numRuns: 300 },
    );
  });

  it("gives two numbers one text exactly when their decimal values are equal", () => {
    const digits = bigInt({ min: -99_999_999_999_999_999_999n, max: 99_999_999_999_999_999_999n });
    const number = tuple(
      digits,
      integer({ min: 0, max: 25 }),
      integer({ min: -30, max: 30 }),
      constantFrom("e", "E"),
    );
    const spell = ([value, point, power, letter]: [bigint, number, number, string]): string => {
      const text = String(value)
        .replace("-", "")
        .padStart(point + 1, "0");
      const fraction = point === 0 ? "" : `.${text.slice(-point)}`;
      return `${value < 0n ? "-" : ""}${text.slice(0, text.length - point)}${fraction}${letter}${power}`;
    };
    const exact = ([value, point, power]: [bigint, number, number, string]): bigint =>
      value * 10n ** BigInt(60 - point + power);

    assert(
      property(number, number, integer({ min: 0, max: 3 }), (a, b, zeros) => {
        const same: typeof a = [a[0] * 10n ** BigInt(zeros), a[1], a[2] - zeros, "e"];

        expect(writeCanonicalNumber(spell(same))).toBe(writeCanonicalNumber(spell(a)));
        expect(writeCanonicalNumber(spell(a)) === writeCanonicalNumber(spell(b))).toBe(exact(a) === exact(b));
        expect(writeCanonicalNumber(spell([a[0] + 1n, a[1], a[2], "e"]))).not.toBe(
          writeCanonicalNumber(spell(a)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it("keeps lone surrogates and composed characters apart", () => {
    const texts = [String.raw`"\ud800"`, String.raw`"\udbff"`, String.raw`"\ufffd"`, '"é"', '"e\u0301"'];

    expect(new Set(texts.map(canonical)).size).toBe(texts.length);
  });
});
