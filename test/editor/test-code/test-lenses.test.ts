import { afterAll, beforeAll, expect, it } from "vitest";
import type { CallEvent, TestRef } from "../../../src/core/call/call.ts";
import { Findings, type OpenFinding } from "../../../src/editor/findings/findings-model.ts";
import { type KnownOfTests, computeFileState } from "../../../src/editor/test-code/test-state-model.ts";
import { type LensOptions, createTestLenses } from "../../../src/editor/test-code/test-lenses-model.ts";
import { type TestFinder, createTestFinder } from "../../../src/test-discovery/find-tests.ts";
import { aCall, aMiss } from "../call-events.ts";
import { grammarsDir } from "../../test-discovery/finder.ts";
import { FILE, missed, recorded } from "./a-test-file.ts";

let finder: TestFinder;
beforeAll(async () => {
  finder = await createTestFinder({ grammarsDir });
});
afterAll(() => finder.dispose());

const SOURCE = `describe("chat", () => {
  describe("inner", () => {
    it("answers", async () => {});
    it("refuses", async () => {});
  });
  it.each([1, 2])("adds %i", async () => {});
});
describe("chat", () => {
  it("waits", async () => {});
});
`;
const PYTHON = "import x\n@x.skip\n@x.y\ndef test_answers():\n    pass\n";

const named = (...name: readonly string[]): TestRef => ({ file: FILE, name });
const ANSWERS = named("chat", "inner", "answers");
const REFUSES = named("chat", "inner", "refuses");
const WAITS = named("chat", "waits");
const ELSEWHERE = { ...ANSWERS, file: "tests/other.test.ts" };

type Story = Partial<KnownOfTests> &
  Partial<LensOptions> & { readonly language?: string; readonly source?: string };

const findingsOf = (changes: Partial<CallEvent>): readonly OpenFinding[] => {
  const findings = new Findings();
  findings.addCall(aCall("one", { test: WAITS, ...changes }), 1);
  return findings.all;
};
const FAILED = findingsOf({
  outcome: "forwarded",
  upstreamStatus: 401,
  reason: "openai answered with status 401.",
});
const REPLY = { status: 200, contentType: "application/json", body: new Uint8Array() };
const MADE_UP = { by: "reply 1 of the script", reply: REPLY, call: aMiss("one") };
const STATES = (["recorded", "new", "stale", "broken"] as const).map((state) => ({
  ...recorded(state, WAITS),
  state,
}));
const running = (mode: "record" | "strict", test: TestRef): Story => ({ runs: [{ id: "r1", mode, test }] });
const RED: Story = {
  recordings: [recorded("one", ANSWERS), recorded("two", ANSWERS, REFUSES)],
  findings: [missed("three", REFUSES), missed("four", REFUSES, { model: "o3" })],
};

const STORIES: Readonly<Record<string, Story>> = {
  "recordings and missing calls of the file, of suites at every level, and of tests, each once": RED,
  "no calls: tests can be recorded": {},
  "no calls, with the level missing": { level: "missing" },
  "no calls, in Restricted Mode": { mayRun: false },
  "no tests": { source: "" },
  "calls of other files, and of no known test": {
    recordings: [recorded("one", ELSEWHERE), recorded("two")],
    findings: [missed("three", ELSEWHERE), missed("four")],
    runs: [{ id: "r1", mode: "record", test: ELSEWHERE }],
  },
  "all cases of a test, a namesake's suite apart, and a renamed test by the line of its call": {
    recordings: [
      recorded("one", named("chat", "adds 1")),
      recorded("two", named("chat", "adds 2")),
      recorded("three", WAITS),
      recorded("four", { ...named("chat", "inner", "declines"), line: 4 }),
    ],
  },
  "calls of a subtest, for the test around it as well": {
    source: 'test("one", async (t) => {\n  await t.test("two", async () => {});\n});\n',
    recordings: [recorded("a", named("one", "two"))],
  },
  "calls outside of tests, of the file alone": {
    recordings: [recorded("one", named())],
    findings: [missed("two", named())],
  },
  "states of recordings, and the way to a broken one": { recordings: STATES },
  "a missing call before a broken recording": { recordings: STATES, findings: [missed("one", WAITS)] },
  "a failed call with the reason": { findings: FAILED },
  "no call that arrived": { findings: FAILED.map((one) => ({ ...one, kind: "unreached" as const })) },
  "an answer that a mock made up": {
    findings: findingsOf({ outcome: "defaulted", mode: "lenient", madeUp: MADE_UP }),
  },
  "a test that is recorded": running("record", WAITS),
  "a suite that is replayed": running("strict", named("chat", "inner")),
  "a file that is recorded": running("record", named()),
  "the level missing": { ...RED, level: "missing" },
  "the level off": { ...RED, level: "off" },
  "Restricted Mode": { ...RED, mayRun: false },
  "a Python test below its decorators": {
    language: "python",
    source: PYTHON,
    recordings: [recorded("one", { ...named("test_answers"), id: "t.py::test_answers" })],
  },
};

it("the lenses of a test file are as the page has them: line, title, tooltip, and what they do", async () => {
  const page: string[] = [];
  for (const [
    title,
    { language = "typescript", source = SOURCE, level = "all", mayRun = true, ...known },
  ] of Object.entries(STORIES)) {
    const { tests } = await finder.findTests(source, language);
    const state = computeFileState(tests, FILE, { recordings: [], findings: [], runs: [], ...known });
    const lenses = createTestLenses(state, { level, mayRun, uri: "file:///t.ts" });
    page.push(`# ${title}`);
    for (const { line, title: shown, tooltip = "", command, arguments: args } of lenses)
      page.push(
        `${line}: ${shown.replaceAll("\u00A0", "⍽")} (${tooltip.replaceAll("\n", "; ")}) ${command} ${JSON.stringify(args)}`,
      );
    page.push("");
  }

  // `vitest FILE -u` writes the page anew.
  await expect(page.join("\n")).toMatchFileSnapshot("test-lenses.txt");
});
