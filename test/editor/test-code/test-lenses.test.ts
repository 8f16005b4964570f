import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TestRef } from "../../../src/core/call/call.ts";
import { Findings, type OpenFinding } from "../../../src/editor/findings/findings-model.ts";
import { type KnownOfTests, computeFileState } from "../../../src/editor/test-code/test-state-model.ts";
import {
  type LensOptions,
  type TestLens,
  createTestLenses,
} from "../../../src/editor/test-code/test-lenses-model.ts";
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
const URI = "file:///w/tests/chat.test.ts";

const named = (...name: readonly string[]): TestRef => ({ file: FILE, name });
const ANSWERS = named("chat", "inner", "answers");
const REFUSES = named("chat", "inner", "refuses");
const WAITS = named("chat", "waits");

type LensState = Partial<KnownOfTests> & { readonly language?: string };

async function lensesOf(
  { language = "typescript", ...known }: LensState,
  options: Partial<LensOptions> = {},
  source = SOURCE,
): Promise<readonly TestLens[]> {
  const { tests } = await finder.findTests(source, language);
  const state = computeFileState(tests, FILE, { recordings: [], findings: [], runs: [], ...known });
  return createTestLenses(state, { level: "all", mayRun: true, uri: URI, ...options });
}

/** A line for each line of the file with lenses. */
async function shown(...of: Parameters<typeof lensesOf>): Promise<readonly string[]> {
  const lines = new Map<number, string[]>();
  for (const { line, title } of await lensesOf(...of))
    lines.set(line, [...(lines.get(line) ?? []), title.replace(/^\$\([\w~-]+\)\s/u, "")]);
  return [...lines].map(([line, titles]) => `${line}: ${titles.join(" | ")}`);
}

const RED: LensState = {
  recordings: [recorded("one", ANSWERS), recorded("two", ANSWERS, REFUSES)],
  findings: [missed("three", REFUSES), missed("four", REFUSES, { model: "o3" })],
};

describe("the lenses of a test file", () => {
  it("count recordings and missing calls of the file, of suites at every level, and of tests, each once", async () => {
    expect(await shown(RED)).toEqual([
      "1: Replay file · 2 recorded | Record file | 2 missing | Replay suite · 2 recorded | Record suite | 2 missing",
      "2: Replay suite · 2 recorded | Record suite | 2 missing",
      "3: Replay · 2 recorded | Record | Timeline",
      "4: Replay · 1 recorded | Record | 2 missing",
      "6: Record",
      "9: Record",
    ]);
  });

  it("offer to record tests without calls, and nothing for their suites and file", async () => {
    expect(await shown({})).toEqual(["3: Record", "4: Record", "6: Record", "9: Record"]);
    expect(await shown({}, { level: "missing" })).toEqual([]);
    expect(await shown({}, { mayRun: false })).toEqual([]);
    expect(await shown({}, {}, "")).toEqual([]);
  });

  it("leave out calls of other files, and of no known test", async () => {
    const elsewhere = { ...ANSWERS, file: "tests/other.test.ts" };

    expect(
      await shown({
        recordings: [recorded("one", elsewhere), recorded("two")],
        findings: [missed("three", elsewhere), missed("four")],
        runs: [{ id: "r1", mode: "record", test: elsewhere }],
      }),
    ).toEqual(await shown({}));
  });

  it("count all cases of a test, a namesake's suite apart, and a renamed test by the line of its call", async () => {
    const lines = await shown({
      recordings: [
        recorded("one", named("chat", "adds 1")),
        recorded("two", named("chat", "adds 2")),
        recorded("three", WAITS),
        recorded("four", { ...named("chat", "inner", "declines"), line: 4 }),
      ],
    });

    expect(lines.slice(1)).toEqual([
      "2: Replay suite · 1 recorded | Record suite",
      "3: Record",
      "4: Replay · 1 recorded | Record | Timeline",
      "6: Replay · 2 recorded | Record | Timeline",
      "8: Replay suite · 1 recorded | Record suite",
      "9: Replay · 1 recorded | Record | Timeline",
    ]);
  });

  it("count calls outside of tests for the file alone", async () => {
    const lines = await shown({ recordings: [recorded("one", named())], findings: [missed("two", named())] });

    expect(lines[0]).toBe("1: Replay file · 1 recorded | Record file | 1 missing");
    expect(lines.slice(1)).toEqual(await shown({}));
  });

  it("tell states of recordings apart, and lead to a broken one if nothing is missing", async () => {
    const states = ["recorded", "new", "stale", "broken"] as const;
    const recordings = states.map((state) => ({ ...recorded(state, WAITS), state }));
    const lenses = await lensesOf({ recordings });
    const broken = lenses.find(({ command }) => command === "tapedeck.openFile");

    expect((await shown({ recordings })).at(-1)).toBe(
      "9: Replay · 1 recorded, 1 new, 1 stale, 1 broken | Record | 1 broken",
    );
    expect(broken?.arguments).toEqual([[{ entry: recordings[3]?.entry }]]);
    expect((await shown({ recordings, findings: [missed("one", WAITS)] })).at(-1)).toMatch(/ \| 1 missing$/u);
  });

  it("show failed calls with the reason, and that no call arrived", async () => {
    const reason = "openai answered with status 401.";
    const failures = new Findings();
    failures.addCall(aCall("one", { outcome: "forwarded", upstreamStatus: 401, reason, test: WAITS }), 1);
    const [failed] = failures.all;
    const silent = failed && ({ ...failed, kind: "unreached" } as OpenFinding);

    expect((await shown({ findings: failures.all })).at(-1)).toBe("9: Record | 1 failed");
    expect((await lensesOf({ findings: failures.all })).at(-1)).toMatchObject({
      tooltip: reason,
      command: "tapedeck.fix",
    });
    expect((await shown({ findings: silent ? [silent] : [] })).at(-1)).toBe("9: Record | no call arrived");
  });

  it("show answers that a mock made up, with the mock", async () => {
    const reply = { status: 200, contentType: "application/json", body: new Uint8Array() };
    const madeUp = { by: "reply 1 of the script", reply, call: aMiss("one") };
    const findings = new Findings();
    findings.addCall(aCall("one", { outcome: "defaulted", mode: "lenient", test: WAITS, madeUp }), 1);

    const lens = (await lensesOf({ findings: findings.all })).at(-1);

    expect(lens?.title).toBe("$(beaker)\u00A01 made up");
    expect(lens?.tooltip).toContain("Made up by reply 1 of the script");
  });

  it("describe their action, and name their test or calls", async () => {
    const [replay, record, missing] = (await lensesOf(RED)).filter(({ line }) => line === 4);
    const place = { uri: URI, test: { path: ["chat", "inner", "refuses"], line: 4 } };

    expect(replay).toMatchObject({
      command: "tapedeck.replayTest",
      tooltip: "Run this test with its recordings. Nothing leaves this machine.",
      arguments: [place],
    });
    expect(record).toMatchObject({
      command: "tapedeck.recordTest",
      tooltip: "Run this test and record its missing calls",
      arguments: [place],
    });
    expect(missing).toMatchObject({
      command: "tapedeck.goToMissing",
      tooltip: 'No recording: gpt-4o-mini "three"\nNo recording: o3 "four"',
      arguments: [[{ finding: "id of three" }, { finding: "id of four" }]],
    });
    expect((await lensesOf(RED))[0]?.arguments).toEqual([{ uri: URI, test: { path: [], line: 1 } }]);
  });

  it("become one that stops the test, suite, or file while it runs", async () => {
    const run = (mode: "record" | "strict", test: TestRef): LensState => ({
      runs: [{ id: "r1", mode, test }],
    });

    expect((await shown(run("record", WAITS))).at(-1)).toBe("9: Recording · stop");
    expect(await shown(run("strict", named("chat", "inner")))).toContain("2: Replaying · stop");
    expect((await shown(run("record", named())))[0]).toBe("1: Recording · stop");
    expect((await lensesOf(run("record", WAITS))).at(-1)).toMatchObject({ command: "tapedeck.stopRun" });
  });

  it("are only those of missing calls with the level missing, and run nothing in Restricted Mode", async () => {
    expect((await shown(RED, { level: "missing" })).slice(1)).toEqual([
      "2: Record suite | 2 missing",
      "4: Record | 2 missing",
    ]);
    expect(await shown(RED, { level: "off" })).toEqual([]);
    expect((await shown(RED, { mayRun: false })).at(-1)).toBe("4: 2 missing");
  });

  it("are above the decorators of a Python test", async () => {
    const source = "import x\n@x.skip\n@x.y\ndef test_answers():\n    pass\n";
    const recordings = [recorded("one", { ...named("test_answers"), id: "t.py::test_answers" })];

    expect((await shown({ recordings, language: "python" }, {}, source)).at(-1)).toMatch(/^2: Replay/u);
  });
});
