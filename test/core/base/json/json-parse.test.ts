import { array, assert, constantFrom, jsonValue, nat, property, tuple } from "fast-check";
import { casesOf } from "../../../support/cases.ts";
import { describe, expect, it } from "vitest";
import {
  isJsonFault,
  type JsonFault,
  MAX_DEPTH,
  parseJson,
} from "../../../../src/core/base/json/json-parse.ts";
import { plainJson } from "../../../../src/core/base/json/json-tree.ts";

function faultOf(text: string): JsonFault {
  try {
    parseJson(text);
  } catch (error) {
    if (isJsonFault(error)) return error;
    throw error;
  }
  throw new Error(`no fault in ${text.slice(0, 80)}`);
}

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

describe("reading JSON without loss", () => {
  it("keeps the digits of numbers and the order of members", () => {
    const tree = parseJson(' {"b": 9007199254740993, "a": [1.0, -0, 1E400], "1": null} ');

    expect(tree).toEqual({
      members: [
        ["b", { number: "9007199254740993" }],
        ["a", [{ number: "1.0" }, { number: "-0" }, { number: "1E400" }]],
        ["1", null],
      ],
    });
  });

  it("reads escapes, and lets lone surrogates survive", () => {
    const tree = parseJson(String.raw`"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud800x"`);

    expect(tree).toBe('"\\/\b\f\n\r\té😀\ud800x');
  });

  it("gives what JSON.parse gives for whatever JSON.stringify writes", () => {
    assert(
      property(jsonValue(), nat({ max: 4 }), (value, indent) => {
        const text = JSON.stringify(value, null, indent);

        expect(plainJson(parseJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("accepts exactly the texts that JSON.parse accepts, except repeated names", () => {
    const pieces = constantFrom(
      ...'[]{},:"\\ \n\tu0019-+.eE/nul'.split(""),
      "true",
      "null",
      '"a"',
      '"b"',
      "\u001f",
      "\ufeff",
    );
    const cuts = tuple(nat(), nat({ max: 2 }), pieces);
    const whole = jsonValue().map((value) => JSON.stringify(value));
    const damaged = tuple(whole, cuts).map(([text, [at, remove, insert]]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + insert + text.slice(place + remove);
    });
    const random = array(pieces, { maxLength: 12 }).map((all) => all.join(""));
    const check = (text: string): void => {
      const ours = accepts(() => parseJson(text));
      const isDuplicate = !ours && faultOf(text).reason.includes("appears twice");

      expect([text, ours || isDuplicate]).toEqual([text, accepts(() => JSON.parse(text)) || isDuplicate]);
    };

    assert(property(damaged, check), { numRuns: casesOf({ quick: 500, long: 5_000 }) });
    assert(property(random, check), { numRuns: casesOf({ quick: 500, long: 5_000 }) });
  });

  it.each([
    ['{"a":1,\n "a":2}', 'the member "a" appears twice at line 2, column 2'],
    ['{"a":01}', "a number begins with 0 at line 1, column 6"],
    ["[1,\r\n 2,]", "a value is missing at line 2, column 4"],
    ['{"a":1,}', "a member's name in quotes is missing at line 1, column 8"],
    ["{a:1}", "a member's name in quotes is missing at line 1, column 2"],
    ['{"a" 1}', 'a ":" is missing at line 1, column 6'],
    ['{"a":1 "b":2}', 'a "," or "}" is missing at line 1, column 8'],
    ["[1 2]", 'a "," or "]" is missing at line 1, column 4'],
    ["[NaN]", "a value is missing at line 1, column 2"],
    ["[1.]", "a digit is missing in a number at line 1, column 3"],
    ["[-]", "a digit is missing at line 1, column 2"],
    ['"abc', "the text ends inside a string at line 1, column 5"],
    ['"a\u001fb"', "a control character in a string is not escaped at line 1, column 3"],
    ['"a\tb"', "a control character in a string is not escaped at line 1, column 3"],
    [String.raw`"\x"`, "a string contains an invalid escape sequence at line 1, column 2"],
    [String.raw`"\u12G4"`, 'four hexadecimal digits are missing after "\\u" at line 1, column 2'],
    ["[1]]", "something follows the end of the value at line 1, column 4"],
    ['{"a":', "the text ends where a value is missing at line 1, column 6"],
    ["\ufeff{}", "a byte order mark precedes the value at line 1, column 1"],
    ["", "the text is empty at line 1, column 1"],
    [" \n ", "the text is blank at line 2, column 2"],
  ])("locates the error in %j", (text, message) => {
    expect(faultOf(text).message).toBe(message);
  });

  it("holds the nesting it promises and refuses one level more", () => {
    const deepest = "[".repeat(MAX_DEPTH) + "]".repeat(MAX_DEPTH);
    const deeper = `{"a":${deepest}}`;

    expect(parseJson(deepest)).toBeInstanceOf(Array);
    expect(faultOf(deeper)).toMatchObject({
      reason: "the nesting is deeper than 512 levels",
      offset: 5 + 511,
    });
    expect(faultOf("[".repeat(1_000_000)).column).toBe(513);
  });

  it("reads a string of five million characters", () => {
    const data = "iVBORw0KGgo".repeat(450_000);

    const tree = parseJson(JSON.stringify({ data, after: [1] }));

    expect(tree).toEqual({
      members: [
        ["data", data],
        ["after", [{ number: "1" }]],
      ],
    });
  });

  it.each([0, 1, 254, 255, 256, 257, 700])(
    "reads a string with %i characters before what ends a piece of it",
    (length) => {
      const plain = "é".repeat(length);
      for (const end of ["", "\\n", '\\"', "\\u0041x"]) {
        const text = `["${plain}${end}", "${end}${plain}"]`;
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }
      for (const wrong of ["\u0000", "\u001f", "\n"])
        expect(faultOf(`["${plain}${wrong}"]`).message).toContain("control character");
      expect(faultOf(`["${plain}`).message).toContain("the text ends inside a string");
    },
  );

  it("keeps a member called __proto__ a member like any other", () => {
    const value = plainJson(parseJson('{"__proto__":{"polluted":1}}'));

    expect(Object.keys(value as object)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});
