import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { readCachedEntry } from "../../../src/core/cassette/cached-ref.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";
import { createRun } from "../../../src/core/answer/runs.ts";
import { createCachedCalls } from "../../../src/deck/cached-call-events.ts";
import { listFindingActions } from "../../../src/editor/findings/finding-actions-model.ts";
import { createDocumentAddress, readSubject } from "../../../src/editor/documents/document-uri-model.ts";
import { createCacheFiles } from "../../../src/editor/metagpt/cache-files-model.ts";
import { readMissedKey } from "../../../src/editor/metagpt/cache-file-model.ts";
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
const CODE = '[{"role": "user", "content": "Hello in Python, caf\u00e9"}]';

describe("a miss in MetaGPT's cache", () => {
  it("is a row under Missing, a lens and a problem of its test, and links to the nearest key", async () => {
    const window = aWindow();
    await window.called({ key: STRICT, outcome: "miss" }, "test_review");

    const call = window.missing();

    expect(await window.tree()).toEqual([
      "- Missing  1",
      '  warning "Review the snake game."  MetaGPT · test_review · now',
      "- New  0",
      "- Recordings  0",
      expect.stringContaining(`- MetaGPT cache — ${FILE}`),
      ...Array.from({ length: 2 }, () => expect.stringContaining("circle-outline")),
    ]);
    expect(window.lenses("test_review")).toEqual(["Record", "1 missing"]);
    expect(window.problem(call)).toBe(
      [
        `No entry in ${FILE} for this MetaGPT call ("Review the snake game.").`,
        'Differs from the nearest recording: messages[0] (system): "kind" → "strict".',
        'To record it, choose "Record" above the test.',
      ].join("\n"),
    );
    const of = { entry: call.miss.nearest?.entry ?? "" };
    const { query } = createDocumentAddress({ of, part: "request" });
    expect(readSubject(query)).toEqual({ of, part: "request" });
    expect(readCachedEntry(of.entry)).toEqual(window.nearestOf(call));
  });

  it("offers to record its test and to take the nearest answer, and nothing that needs a request", async () => {
    const window = aWindow();
    await window.called({ key: STRICT, outcome: "miss" }, "test_review");

    const [row] = await window.rows();
    const actions = listFindingActions(window.missing(), { mayRun: true });

    expect(row?.context).toBe("finding missing metagpt nearest test");
    expect(actions.map(({ command }) => command)).toEqual([
      "tapedeck.recordTest",
      "tapedeck.compareRecordings",
      "tapedeck.acceptNearest",
      "tapedeck.goToTest",
    ]);
  });

  it("takes the nearest entry's answer, as MetaGPT writes it, and loses it again", async () => {
    const window = aWindow();
    await window.called({ key: STRICT, outcome: "miss" }, "test_review");
    const call = window.missing();
    const before = window.read();

    await window.files.copyAnswer(window.nearestOf(call), readMissedKey(call.miss) ?? "");
    const added = window.read();
    await window.files.remove({ file: FILE, digest: call.miss.key.slice(7) });

    expect(JSON.parse(added)).toEqual({ ...CACHE, [STRICT]: CACHE[KIND] });
    expect(added.startsWith(before.slice(0, -2))).toBe(true);
    expect(window.read()).toBe(before);
  });

  it.each([CAPITAL, STRICT, CODE, "a#MSG_SEP#b", "x#MSG_SEP#y#SYSTEM_MSG_END#z"])(
    "finds the key of the test's call: %s",
    async (key) => {
      const window = aWindow();
      await window.called({ key, outcome: "miss" }, "test_review");

      expect(readMissedKey(window.missing().miss)).toBe(key);
    },
  );

  it("knows no key of a request in which a secret was redacted", async () => {
    const window = aWindow();
    await window.called({ key: STRICT, outcome: "miss" }, "test_review");
    const { miss } = window.missing();
    const text = new TextDecoder().decode(miss.request.body).replace("strict", "[redacted]");

    expect(
      readMissedKey({ ...miss, request: { ...miss.request, body: new TextEncoder().encode(text) } }),
    ).toBe(undefined);
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
  it("has a lens for it and no problems, and is linked with its entry both ways", async () => {
    const window = aWindow();
    await window.called({ key: CAPITAL, outcome: "replayed" }, "test_capital");
    const state = window.session;
    const [entry = ""] = state.usage.cachedEntries();

    expect(window.lenses("test_capital")).toEqual(["Replay · 1 cached", "Record", "Timeline"]);
    expect([state.findings, state.unreached]).toEqual([[], undefined]);
    expect(state.usage.testsOf(entry)).toMatchObject([{ file: TEST_FILE, name: ["test_capital"] }]);
    const cached = (await window.rows()).filter(({ subject }) => subject.kind === "cached");
    expect(cached.map(({ context }) => context)).toEqual(["cached test", "cached"]);
    // The index does not take the entry for a file of a recording.
    await window.calls.index.ensure([entry]);
    expect(window.calls.index.broken).toBe(0);
  });
});

describe("a terminal whose tests report nothing", () => {
  it("is named above the cache, with the way to open one that follows the mode", async () => {
    const window = aWindow();
    window.session.setUnreached("pytest tests", { cause: "unknown", reason: "", fix: "" });

    const row = (await window.calls.model.roots()).find(({ subject }) => subject.kind === "notice");

    expect(row?.label).toBe("No report from pytest tests — Open New Terminal");
    expect(row?.subject).toEqual({ kind: "notice", command: "workbench.action.terminal.new" });
    await window.called({ key: CAPITAL, outcome: "replayed" }, "test_capital");
    expect((await window.tree()).join("\n")).not.toContain("No report");
  });
});

describe("a folder with MetaGPT's cache in which Tapedeck is off", () => {
  it("has a first row that turns it on while it is off", async () => {
    const window = aWindow({ isOff: true });

    const off = await window.tree();
    window.turnOn();

    expect(off[0]).toBe(
      "circle-slash Tapedeck is off — Turn On  MetaGPT's tests call the provider with your key",
    );
    expect((await window.tree())[0]).toContain("MetaGPT cache");
  });
});

const CACHE = { [CAPITAL]: "Rome.", [KIND]: "Looks fine." };

/** A project with MetaGPT's cache, and what a window shows of it. */
function aWindow(options: { readonly isOff?: boolean } = {}) {
  let isOff = options.isOff === true;
  const folder = aFolder();
  mkdirSync(join(folder, dirname(FILE)), { recursive: true });
  writeFileSync(join(folder, FILE), JSON.stringify(CACHE, undefined, 4));
  const files = createCacheFiles({ folder, onDidRead: () => undefined });
  const calls = aCallsTree({ caches: (view) => files.roots([FILE], view), isOff: () => isOff });
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
    files,
    session,
    rows,
    missing,
    turnOn: () => void (isOff = false),
    read: () => readFileSync(join(folder, FILE), "utf8"),
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
            session.addCall({
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
    nearestOf(call: MissingCall) {
      const ref = readCachedEntry(call.miss.nearest?.entry ?? "");
      if (ref === undefined) throw new Error("there is no nearest entry");
      return ref;
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
        .map((lens) => lens.title.replace(/\$\([\w-]+\)\s/u, ""));
    },
  };
}
