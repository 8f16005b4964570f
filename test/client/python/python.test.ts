import { expect, test } from "vitest";
import { writePythonRepr, writePythonAsciiJson, writePythonJson } from "../../../src/client/python/write.ts";
import { parsePython, pythonFloat } from "../../../src/client/python/value.ts";

/** `repr(value)` and `json.dumps(value)` of CPython 3.11. */
test.each<readonly [value: unknown, repr: string, json: string]>([
  [null, "None", "null"],
  [[true, false], "[True, False]", "[true, false]"],
  [{ a: 1, b: [] }, "{'a': 1, 'b': []}", '{"a": 1, "b": []}'],
  [pythonFloat(1), "1.0", "1.0"],
  [1.5, "1.5", "1.5"],
  [-0, "-0.0", "-0.0"],
  [pythonFloat(1e16), "1e+16", "1e+16"],
  [pythonFloat(1e15), "1000000000000000.0", "1000000000000000.0"],
  [0.0001, "0.0001", "0.0001"],
  [0.00001, "1e-05", "1e-05"],
  [1.25e-7, "1.25e-07", "1.25e-07"],
  [1e100, "1e+100", "1e+100"],
  [123.456, "123.456", "123.456"],
  [pythonFloat(120), "120.0", "120.0"],
  [2 ** 53, "9007199254740992.0", "9007199254740992.0"],
  [12_345_678_901_234_567_890n, "12345678901234567890", "12345678901234567890"],
  [pythonFloat(Number.NaN), "nan", "NaN"],
  [pythonFloat(Number.POSITIVE_INFINITY), "inf", "Infinity"],
  [pythonFloat(Number.NEGATIVE_INFINITY), "-inf", "-Infinity"],
  ["it's", `"it's"`, `"it's"`],
  [`'"`, `'\\'"'`, `"'\\""`],
  ["a\\b\n\r\t", "'a\\\\b\\n\\r\\t'", '"a\\\\b\\n\\r\\t"'],
  ["\u0001\u007f", "'\\x01\\x7f'", '"\\u0001\u007f"'],
  ["\u00a0\u200b\u2028", "'\\xa0\\u200b\\u2028'", '"\\u00a0\\u200b\\u2028"'],
  ["é文😀", "'é文😀'", '"\\u00e9\\u6587\\ud83d\\ude00"'],
  ["\u00ad\u0600\u061c\uffff", "'\\xad\\u0600\\u061c\\uffff'", '"\\u00ad\\u0600\\u061c\\uffff"'],
  ["\u{e0001}", "'\\U000e0001'", '"\\udb40\\udc01"'],
  [
    new Map<unknown, unknown>([
      ["2", 1],
      ["1", undefined],
    ]),
    "{'2': 1}",
    '{"2": 1}',
  ],
])("%o is %s to Python, and %s as JSON", (value, repr, json) => {
  expect(writePythonRepr(value)).toBe(repr);
  expect(writePythonAsciiJson(value, "it")).toBe(json);
});

test("JSON beyond ASCII keeps its characters if allowed, and half a surrogate pair is escaped", () => {
  expect(writePythonJson("é😀\ud83d", "it")).toBe('"é😀\ud83d"');
  expect(writePythonAsciiJson("\ud83d", "it")).toBe('"\\ud83d"');
});

test.each<readonly [value: unknown, says: string]>([
  [() => 1, "it: a function cannot be written as JSON"],
  [{ a: [undefined] }, "it.a[0]: a undefined cannot be written as JSON"],
  [{ a: [Symbol("s")] }, "it.a[0]: a symbol cannot be written as JSON"],
])("what Python has no JSON for is refused with its place: %s", (value, says) => {
  expect(() => writePythonJson(value, "it")).toThrow(says);
});

test("a circular and an endless value are refused, and a repeated one is not", () => {
  const circle: unknown[] = [];
  circle.push({ again: circle });
  const twice = [1];
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = [value];
    return value;
  };

  expect(() => writePythonJson(circle, "it")).toThrow("it[0].again: the value contains itself");
  expect(writePythonJson([twice, twice], "it")).toBe("[[1], [1]]");
  expect(writePythonJson(nested(512), "it")).toHaveLength(1025);
  expect(() => writePythonJson(nested(513), "it")).toThrow("the nesting is deeper than 512 levels");
});

test.each<readonly [text: string, json: string]>([
  ["1.0", "1.0"],
  ["1", "1"],
  ["-0", "0"],
  ["1e3", "1000.0"],
  ["1E3", "1000.0"],
  ["12345678901234567890", "12345678901234567890"],
  ['{"2": 1, "1": 2}', '{"2": 1, "1": 2}'],
  ['{"__proto__": 1.0}', '{"__proto__": 1.0}'],
])("%s is read without losing what Python keeps of it", (text, json) => {
  expect(writePythonAsciiJson(parsePython(text), "it")).toBe(json);
});
