import { anything, assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { readAttribution, readGroupPlace } from "../../../src/core/call/attribution.ts";

const header = (value: object): string => encodeURIComponent(JSON.stringify(value));
const FULL = {
  v: 1,
  runner: "vitest",
  file: "/home/me/work/tests/a.test.ts",
  name: ["outer", "\u00e9 > inner"],
  phase: "test",
  x: "12.0.1",
  line: 20,
  exact: true,
  at: { file: "/home/me/work/src/llm.ts", line: 10 },
};
const ROOTS = ["/home/me/work"];
const read = (change: object, roots = ROOTS): unknown =>
  readAttribution(header({ ...FULL, ...change }), roots);

test("a header becomes a test, with files relative to the folder that holds them", () => {
  expect(readAttribution(header(FULL), ROOTS)).toEqual({
    file: "tests/a.test.ts",
    name: ["outer", "\u00e9 > inner"],
    line: 20,
    runner: "vitest",
    execution: "12.0.1",
    at: { file: "src/llm.ts", line: 10 },
  });
});

test("the innermost folder that holds the file counts, and folders are compared whole", () => {
  expect(read({}, ["/home/me/work", "/home/me/work/tests/", "/home"])).toMatchObject({ file: "a.test.ts" });
  expect(read({}, ["/home/me/wor", "/home/me/work2", "/HOME/me/work"])).toBeUndefined();
  expect(read({ file: "/home/me/work/./a/../b.ts" })).toMatchObject({ file: "b.ts" });
  expect(read({ file: "/x.ts" }, ["/"])).toMatchObject({ file: "x.ts" });
});

test("Windows paths are read in every spelling that runners use", () => {
  const roots = ["C:\\Users\\Me\\Work"];

  expect(read({ file: "c:/Users/me/work/Tests/A.test.ts" }, roots)).toMatchObject({
    file: "Tests/A.test.ts",
  });
  expect(read({ file: "C:\\Users\\Me\\Work\\a\\b.ts" }, roots)).toMatchObject({ file: "a/b.ts" });
  expect(read({ file: "D:\\Users\\Me\\Work\\b.ts" }, roots)).toBeUndefined();
  expect(read({ file: "\\\\server\\share\\w\\a.ts" }, ["\\\\Server\\share\\w"])).toMatchObject({
    file: "a.ts",
  });
});

test("a file outside of the folders is no test of theirs, a helper outside is left out", () => {
  expect(read({ file: "/home/me/work/../other/a.test.ts" })).toBeUndefined();
  expect(read({ file: "/etc/passwd" })).toBeUndefined();
  expect(read({ file: "tests/a.test.ts" })).toBeUndefined();
  expect(read({ file: "/home/me/work" })).toBeUndefined();
  expect(read({ file: "/home/me/work/a\nb.ts" })).toBeUndefined();
  expect(read({ file: "/../../home/me/work/a.ts" })).toBeUndefined();
  expect(read({ at: { file: "/elsewhere/llm.ts", line: 1 } })).not.toHaveProperty("at");
});

test("hooks: an each-hook is its test's, an all-hook its suite's, a file's own code the file's", () => {
  expect(read({ phase: "hook" })).toMatchObject({ name: FULL.name });
  expect(read({ phase: "hook", name: ["outer"] })).toMatchObject({ name: ["outer"] });
  expect(read({ phase: "module", name: undefined })).toMatchObject({ file: "tests/a.test.ts", name: [] });
});

test("joined titles are kept as one name", () => {
  expect(read({ name: undefined, joined: "outer inner" })).toMatchObject({
    name: ["outer inner"],
    joined: "outer inner",
  });
});

test("pytest's cases are tests of their own: each has its parameters in its name", () => {
  const found = read({
    runner: "pytest",
    name: ["TestK", "test_m[a::b [c]]"],
    id: "tests/a.py::TestK::test_m[a::b [c]]",
  });

  expect(found).toMatchObject({
    name: ["TestK", "test_m[a::b [c]]"],
    id: "tests/a.py::TestK::test_m[a::b [c]]",
  });
});

test("what is of another type, another version or too large is not believed", () => {
  const wrong = [
    { v: 2 },
    { v: "1" },
    { file: 7 },
    { name: "outer" },
    { name: [1] },
    { line: -1 },
    { line: 1.5 },
    { line: "3" },
  ];
  const alsoWrong = [{ x: 1 }, { runner: {} }, { id: [] }, { name: Array.from({ length: 99 }, () => "x") }];

  expect(
    [...wrong, ...alsoWrong].map((change) => read(change)).filter((found) => found !== undefined),
  ).toEqual([]);
  expect(read({ name: ["x".repeat(4000)] })).toBeUndefined();
  expect(read({ name: [`${"x".repeat(999)}\u{1F600}`] })).toMatchObject({ name: ["x".repeat(999)] });
});

test("a value sent twice, cut off or not encoded is absent", () => {
  const value = header(FULL);

  expect(readAttribution(`${value}, ${value}`, ROOTS)).toBeUndefined();
  expect(readAttribution(value.slice(0, -1), ROOTS)).toBeUndefined();
  expect(readAttribution(value.slice(0, -2), ROOTS)).toBeUndefined();
  expect(readAttribution("%", ROOTS)).toBeUndefined();
  expect(readAttribution("null", ROOTS)).toBeUndefined();
  expect(readAttribution("", ROOTS)).toBeUndefined();
  expect(readAttribution(undefined, ROOTS)).toBeUndefined();
});

test("no value at all can make it fail", () => {
  assert(
    property(anything(), string(), (value, file) => {
      const sent = encodeURIComponent(
        JSON.stringify({ ...FULL, file, name: value, at: value, line: value }) ?? "",
      );

      expect(() => readAttribution(sent, [file, "/", "C:\\"])).not.toThrow();
    }),
  );
});

test("the position of a call among identical ones follows its test in the header, or is sent without one", () => {
  const place = { id: "12.0.7", position: 3 };

  expect(readGroupPlace(`${header(FULL)};12.0.7;3`)).toEqual(place);
  expect(readGroupPlace(";12.0.7;3")).toEqual(place);
  expect(readAttribution(`${header(FULL)};12.0.7;3`, ROOTS)).toMatchObject({ file: "tests/a.test.ts" });
  expect(readAttribution(";12.0.7;3", ROOTS)).toBeUndefined();
  for (const wrong of [undefined, header(FULL), ";a b;1", ";12;0", ";12;123456", ";;1"])
    expect(readGroupPlace(wrong)).toBeUndefined();
});
