import { expect, it } from "vitest";
import {
  readFileTarget,
  readTestTarget,
  readTestTargets,
} from "../../../src/editor/test-code/test-target-model.ts";
import { keyOf } from "../call-events.ts";

const URI = "file:///w/tests/chat.test.ts";

/** As the editor hands out addresses. */
const address = { scheme: "file", path: "/w/tests/chat.test.ts", toString: () => URI };
const LENS = { uri: URI, test: { path: ["chat", "answers"], line: 3 } };
const TEST = { file: "tests/chat.test.ts", name: ["chat", "answers"], line: 3, joined: "x", id: "y" };
const row = (group: object) => ({ subject: { kind: "group", group }, children: [] });
const item = (id: string) => ({
  id,
  label: id,
  uri: address,
  children: { size: 0 },
  range: { start: { line: 2 } },
});
/** Values that another extension may pass. Only some are valid. */
const FORGED = {
  test: { file: "a.test.ts", name: ["a"], line: "3", runner: { evil: true }, id: 7, joined: null, at: 1 },
  mode: "everything",
  overrides: [
    ["sha256:short", "record"],
    [keyOf("one"), "everything"],
    [keyOf("one")],
    "record",
    [keyOf("two"), "record"],
  ],
  command: "rm",
};

const ARGUMENTS: Readonly<Record<string, unknown>> = {
  "a lens": LENS,
  "a lens of the whole file": { uri: URI, test: { path: [], line: 1 } },
  "a row or a page": { test: TEST },
  "a row with how its calls are answered": {
    test: TEST,
    mode: "strict",
    overrides: [[keyOf("one"), "record"]],
  },
  "the sidebar's group of a test": row({ kind: "test", test: { file: TEST.file, name: TEST.name } }),
  "the line numbers' menu": { lineNumber: 12, uri: address },
  "another extension's, as far as it is valid": FORGED,
  nothing: undefined,
  null: null,
  "a text": "tests/chat.test.ts",
  "the editor's own menu's": address,
  "an empty object": {},
  "a lens whose titles are no texts": { uri: URI, test: { path: [1], line: 3 } },
  "a lens without a line": { uri: URI, test: { path: ["a"], line: 0 } },
  "a line that is none": { lineNumber: 1.5, uri: address },
  "a line in no file": { lineNumber: 1, uri: URI },
  "a line in something else": { lineNumber: 1, uri: {} },
  "a test without a file": { test: { file: "", name: ["a"] } },
  "a test whose name is a text": { test: { file: "a.test.ts", name: "a" } },
  "a name that is no list of texts": { test: { file: "a.test.ts", name: ["a", 1] } },
};
const FILES: Readonly<Record<string, unknown>> = {
  "an address": address,
  "a text": URI,
  "the sidebar's group of a file": row({ kind: "file", label: "tests/chat.test.ts" }),
  "the sidebar's group of a model": row({ kind: "model", label: "tests/chat.test.ts" }),
};

it("a command's argument means the test, or the test at the cursor, that the page has for it", async () => {
  const page = [
    ...Object.entries(ARGUMENTS).map(([title, one]) => `${title}\n  ${JSON.stringify(readTestTarget(one))}`),
    ...Object.entries(FILES).map(
      ([title, one]) => `as a file: ${title}\n  ${JSON.stringify(readFileTarget(one))}`,
    ),
    "",
  ];

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("test-targets.txt");
});

it("of the Test Explorer, each of the selected tests is meant", () => {
  const from = (all: readonly unknown[]) => readTestTargets(all).map((target) => target.from);

  expect(from([item("a"), item("b")])).toEqual(["item", "item"]);
  expect([from([address, { groupId: 0 }]), from([])]).toEqual([["cursor"], ["cursor"]]);
});
