import {
  array,
  assert,
  constantFrom,
  dictionary,
  double,
  integer,
  letrec,
  nat,
  oneof,
  property,
  string,
} from "fast-check";
import { casesOf } from "../../../support/cases.ts";
import { describe, expect, it } from "vitest";
import { parseJson } from "../../../../src/core/base/json/json-parse.ts";
import { readJsonStyle } from "../../../../src/core/base/json/json-style.ts";
import { detectStyle, writeJson } from "../../../../src/core/base/json/json-tree.ts";

const units = (escape: (unit: string) => string, pattern: RegExp) => (text: string) =>
  text.replace(pattern, escape);
const lower = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
const upper = (unit: string): string =>
  `\\u${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Writes as a serialiser does that puts blanks behind its marks (Python's default). */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${spaced(inner)}`);
  return `{${members.join(", ")}}`;
}

/** The output of the common serializers, each written independently of the code under test. */
const WRITERS: Readonly<Record<string, (value: unknown) => string>> = {
  "JSON.stringify": (value) => JSON.stringify(value),
  "JSON.stringify with one blank": (value) => JSON.stringify(value, null, 1),
  "JSON.stringify with two blanks and a line feed": (value) => `${JSON.stringify(value, null, 2)}\n`,
  "JSON.stringify with tabs": (value) => JSON.stringify(value, null, "\t"),
  "two blanks and CRLF": (value) => JSON.stringify(value, null, 2).replaceAll("\n", "\r\n"),
  "Python json.dumps": (value) => units(lower, /[\u007f-\uffff]/g)(spaced(value)),
  "Python json.dumps(ensure_ascii=False)": spaced,
  "Python json.dumps(indent=4)": (value) => units(lower, /[\u007f-\uffff]/g)(JSON.stringify(value, null, 4)),
  "Go encoding/json": (value) => units(lower, /[<>&\u2028\u2029]/g)(JSON.stringify(value)),
  "PHP json_encode": (value) =>
    units(lower, /[\u0080-\uffff]/g)(JSON.stringify(value)).replaceAll("/", "\\/"),
  Gson: (value) => units(lower, /[<>&='\u2028\u2029]/g)(JSON.stringify(value)),
  "System.Text.Json": (value) =>
    units(
      upper,
      /[<>&'`\u007f-\uffff]/g,
    )(JSON.stringify(value))
      .replace(/\\u[0-9a-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`)
      .replace(/\\(["\\])/g, (escape, char: string) => (char === '"' ? "\\u0022" : escape)),
  "leading blank lines": (value) => `\n\n   ${JSON.stringify(value)}`,
};

const anyText = oneof(
  string({ unit: "binary" }),
  array(integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((codes) => String.fromCharCode(...codes)),
  array(constantFrom(...`/¦<b>¦&¦'¦"¦\\¦\n¦\u2028¦é¦😀¦\u007f¦\b¦\f¦\\u0041¦a`.split("¦")), {
    maxLength: 8,
  }).map((pieces) => pieces.join("")),
);
const { value: anyValue } = letrec<{ value: unknown }>((tie) => ({
  value: oneof(
    { depthSize: "small" },
    anyText,
    double({ noNaN: true, noDefaultInfinity: true }),
    constantFrom(null, true, false),
    array(tie("value"), { maxLength: 4 }),
    dictionary(anyText, tie("value"), { maxKeys: 4 }),
  ),
}));

describe("writing JSON in its original style", () => {
  it.each(Object.entries(WRITERS))(
    "gives back what %s wrote, from a style that was itself kept as JSON",
    (_, write) => {
      assert(
        property(anyValue, (value) => {
          const text = write(value);
          const tree = parseJson(text);

          const style = readJsonStyle(JSON.parse(JSON.stringify(detectStyle(text, tree))));

          expect(style).toBeDefined();
          expect(writeJson(tree, style)).toBe(text);
        }),
        { numRuns: casesOf({ quick: 25, long: 400 }) },
      );
    },
  );

  it("writes numbers with the digits they had", () => {
    const text = "[1.0,1e5,-0,9007199254740993,0.70000000000000001]";

    expect(writeJson(parseJson(text))).toBe(text);
  });

  it.each([
    ['{ "a": 1 }', "blanks inside of braces"],
    ['["\\u000a\\n"]', "a character written in two ways"],
    ['["\\u00e9é"]', "an accent both escaped and not"],
    ["[1,2, 3]", "commas with a blank and without"],
    ['["\\u00e9\\u00E8"]', "hexadecimal digits in both cases"],
  ])("has no style for %j: %s", (text) => {
    expect(detectStyle(text, parseJson(text))).toBeUndefined();
  });

  it.each([
    [{ colon: "=" }],
    [{ comma: "; " }],
    [{ tail: "x" }],
    [{ indent: -1 }],
    [{ indent: 1e9 }],
    [{ unknown: 1 }],
    [JSON.parse('{"__proto__": 1}') as unknown],
    ["compact"],
    [[]],
    [null],
  ])("takes %j from a file for no style", (value) => {
    expect(readJsonStyle(value)).toBeUndefined();
  });

  it("gives every tree back that it wrote, in any style", () => {
    const styles = [
      {},
      { indent: 3 },
      { ascii: true },
      { escaped: '"\n/<', hex: "upper" },
      { slash: true },
    ] as const;
    assert(
      property(anyValue, nat({ max: styles.length - 1 }), (value, which) => {
        const tree = parseJson(JSON.stringify(value));

        expect(parseJson(writeJson(tree, styles[which]))).toEqual(tree);
      }),
      { numRuns: casesOf({ quick: 25, long: 400 }) },
    );
  });
});
