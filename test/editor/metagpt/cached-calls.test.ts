import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { createRun } from "../../../src/core/answer/runs.ts";
import { createCachedCalls } from "../../../src/deck/cached-call-events.ts";
import { listFindingActions } from "../../../src/editor/findings/finding-actions-model.ts";
import { type MissingCall, listMissingCalls } from "../../../src/editor/findings/findings-model.ts";
import { createKnownRecordings, computeFileState } from "../../../src/editor/test-code/test-state-model.ts";
import { createProblemPlaces } from "../../../src/editor/test-code/miss-problems-model.ts";
import { createTestLenses } from "../../../src/editor/test-code/test-lenses-model.ts";
import type { CacheNote } from "../../../src/server/cache-notes.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aCallsTree, treeText } from "../calls-tree/a-calls-tree.ts";
import { declared } from "../test-code/a-test-file.ts";

const FILE = "tests/data/rsp_cache.json";
const TEST_FILE = "tests/test_writer.py";
const CAPITAL = "Name the capital of Italy.";
const KIND = "You are a kind engineer.#SYSTEM_MSG_END#Review the snake game.";
const STRICT = "You are a strict engineer.#SYSTEM_MSG_END#Review the snake game.";

describe("a miss in MetaGPT's cache", () => {
  it("is a row under Missing, a lens and a problem of its test, and names the nearest key", async () => {
    const window = aWindow();
    await window.called({ key: STRICT, outcome: "miss" }, "test_review");

    const call = window.missing();

    expect(await window.tree()).toEqual([
      "- Missing  1",
      '  warning "Review the snake game."  MetaGPT · test_review · now',
      "- New  0",
      "- Recordings  0",
    ]);
    expect(window.lenses("test_review")).toEqual(["Record", "1 missing"]);
    expect(window.problem(call)).toBe(
      [
        `No entry in ${FILE} for this MetaGPT call ("Review the snake game.").`,
        'Differs from the nearest recording: messages[0] (system): "kind" → "strict".',
        'To record it, choose "Record" above the test.',
      ].join("\n"),
    );
  });

  it("offers to record its test, and nothing that needs a request", async () => {
    const window = aWindow();
    await window.called({ key: STRICT, outcome: "miss" }, "test_review");

    const [row] = await window.rows();
    const actions = listFindingActions(window.missing(), { mayRun: true, hasTeam: true });

    expect(row?.context).toBe("finding missing metagpt test");
    expect(actions.map(({ command }) => command)).toEqual(["tapedeck.recordTest", "tapedeck.goToTest"]);
  });

  it("is answered when its test is recorded, in MetaGPT's own file alone", async () => {
    const window = aWindow();
    await window.called({ key: STRICT, outcome: "miss" }, "test_review");

    await window.called({ key: STRICT, outcome: "recorded", mode: "record" }, "test_review");

    expect(window.session.findings).toEqual([]);
    expect(window.session.candidates.size).toBe(0);
    expect(window.lenses("test_review")[0]).toBe("Replay · 1 cached");
  });
});

describe("a test that MetaGPT's cache answers", () => {
  it("has a lens for it and no problems", async () => {
    const window = aWindow();
    await window.called({ key: CAPITAL, outcome: "replayed" }, "test_capital");
    const state = window.session;
    const [entry = ""] = state.cachedEntries();

    expect(window.lenses("test_capital")).toEqual(["Replay · 1 cached", "Record", "Timeline"]);
    expect([state.findings, state.unreached]).toEqual([[], undefined]);
    expect(state.testsOf(entry)).toMatchObject([{ file: TEST_FILE, name: ["test_capital"] }]);
    await window.calls.index.ensure([entry]);
    expect(window.calls.index.broken).toBe(0);
  });
});

const CACHE = { [CAPITAL]: "Rome.", [KIND]: "Looks fine." };

/** A project with MetaGPT's cache, and what a window shows of it. */
function aWindow() {
  const folder = aFolder();
  mkdirSync(join(folder, dirname(FILE)), { recursive: true });
  writeFileSync(join(folder, FILE), JSON.stringify(CACHE, undefined, 4));
  const calls = aCallsTree();
  const { session } = calls;
  let count = 0;
  const tests = ["test_capital", "test_review"].map((title, at) =>
    declared(title, 3 + 4 * at, 4 + 4 * at, { path: [title] }),
  );
  const rows = async () => {
    const roots = await calls.model.roots();
    return (await Promise.all(roots.map((root) => root.children()))).flat();
  };
  const missing = (): MissingCall => {
    const [call] = listMissingCalls(session.findings);
    if (call === undefined) throw new Error("nothing is missing");
    return call;
  };
  return {
    calls,
    session,
    rows,
    missing,
    tree: () => treeText(calls.model),
    /** As the hook in the test's process reports it. */
    async called(
      {
        mode = "strict",
        ...note
      }: Pick<CacheNote, "key" | "outcome"> & { readonly mode?: "strict" | "record" },
      title: string,
    ): Promise<void> {
      count += 1;
      const test = { file: TEST_FILE, name: [title], runner: "pytest", execution: String(count) };
      const report = createCachedCalls({
        engine: {
          note: (run, call) =>
            session.called({
              ...call,
              id: count,
              at: Date.UTC(2026, 0, 5, 12),
              ms: 0,
              run: run.id,
              mode: run.mode,
            }),
        },
        providers: createProviders(),
        secrets: { redact: undefined },
        roots: [folder],
      });
      await report({ ...note, run: createRun({ id: "workspace", mode }), file: join(folder, FILE), test });
    },
    problem: (call: MissingCall) =>
      createProblemPlaces().problemsOf([call], TEST_FILE, { tests, isBroken: false })[0]?.message,
    lenses(title: string): readonly string[] {
      const { findings, runs } = session;
      const own = { state: session } as unknown as Parameters<typeof createKnownRecordings>[0];
      const recordings = createKnownRecordings(own, calls.index).of(TEST_FILE);
      const state = computeFileState(tests, TEST_FILE, { recordings, findings, runs });
      const line = tests.find((test) => test.title === title)?.line;
      return createTestLenses(state, { level: "all", mayRun: true, uri: "file:///w/t.py" })
        .filter((lens) => lens.line === line)
        .map((lens) => lens.title.replace(/\$\([\w-]+\) /u, ""));
    },
  };
}
