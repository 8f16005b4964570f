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
const WINDOWS = ["C:\\Users\\Me\\Work"];
const LONG_TITLE = `${"x".repeat(999)}\u{1F600}`;

/** Of another type or another version. */
const WRONG = JSON.parse(
  '[{"v":2},{"v":"1"},{"file":7},{"name":"outer"},{"name":[1]},{"line":-1},{"line":1.5},{"line":"3"},{"x":1},{"runner":{}},{"id":[]}]',
) as readonly object[];

/** The differences from a full header, and the folders of the run. */
const HEADERS: Readonly<Record<string, readonly [change: object, roots?: readonly string[]]>> = {
  "a test, relative to its folder": [{}],
  "the innermost folder that holds the file": [{}, ["/home/me/work", "/home/me/work/tests/", "/home"]],
  "no folder that only begins alike": [{}, ["/home/me/wor", "/home/me/work2", "/HOME/me/work"]],
  "a path with dots within the folder": [{ file: "/home/me/work/./a/../b.ts" }],
  "the root as folder": [{ file: "/x.ts" }, ["/"]],
  "Windows, with slashes and another case": [{ file: "c:/Users/me/work/Tests/A.test.ts" }, WINDOWS],
  Windows: [{ file: "C:\\Users\\Me\\Work\\a\\b.ts" }, WINDOWS],
  "another drive of Windows": [{ file: "D:\\Users\\Me\\Work\\b.ts" }, WINDOWS],
  "a share of Windows": [{ file: "\\\\server\\share\\w\\a.ts" }, ["\\\\Server\\share\\w"]],
  "a file outside of the folder": [{ file: "/home/me/work/../other/a.test.ts" }],
  "a file elsewhere": [{ file: "/etc/passwd" }],
  "a relative file": [{ file: "tests/a.test.ts" }],
  "the folder itself": [{ file: "/home/me/work" }],
  "a file of two lines": [{ file: "/home/me/work/a\nb.ts" }],
  "a file above the root": [{ file: "/../../home/me/work/a.ts" }],
  "a helper outside": [{ at: { file: "/elsewhere/llm.ts", line: 1 } }],
  "an each-hook, which is its test's": [{ phase: "hook" }],
  "an all-hook, which is its suite's": [{ phase: "hook", name: ["outer"] }],
  "a file's own code": [{ phase: "module", name: undefined }],
  "joined titles as one name": [{ name: undefined, joined: "outer inner" }],
  "a case of pytest, with its parameters": [
    { runner: "pytest", name: ["TestK", "test_m[a::b [c]]"], id: "tests/a.py::TestK::test_m[a::b [c]]" },
  ],
  "a title that is cut between characters": [{ name: [LONG_TITLE] }],
  ...Object.fromEntries(
    [...WRONG, { name: Array.from({ length: 99 }, () => "x") }, { name: ["x".repeat(4000)] }].map(
      (change) => [`not ${JSON.stringify(change).slice(0, 40)}`, [change] as const],
    ),
  ),
};

test("a header becomes a test, or none, as the page has it", async () => {
  const page = Object.entries(HEADERS).map(([title, [change, roots = ROOTS]]) => {
    const found = readAttribution(header({ ...FULL, ...change }), roots);
    return `# ${title}\n${JSON.stringify(found)?.replaceAll(/x{100,}/g, (xs) => `(${xs.length} x)`) ?? "none"}\n`;
  });

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("attribution.txt");
});

test("a value sent twice, cut off or not encoded is absent", () => {
  const value = header(FULL);

  for (const wrong of [
    `${value}, ${value}`,
    value.slice(0, -1),
    value.slice(0, -2),
    "%",
    "null",
    "",
    undefined,
  ])
    expect([wrong, readAttribution(wrong, ROOTS)]).toEqual([wrong, undefined]);
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
