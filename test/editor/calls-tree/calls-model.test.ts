import { describe, expect, it } from "vitest";
import { aCallsTree, aChat, aMiss, anEvent, aTest, treeText } from "./a-calls-tree.ts";

const WORD = aTest("tests/chat.test.ts", "chat", "answers in one word");
const LANGUAGE = aTest("tests/chat.test.ts", "chat", "keeps the language");
const SUMMARY = aTest("tests/summary.test.ts", "summary");

describe("the tree of calls", () => {
  it("shows missing calls, new ones, and recordings by test, with the prompt, model, tokens, and age", async () => {
    const { store, session, model } = aCallsTree();
    await store.save(aChat("Say hi in one word", { test: WORD }));
    await store.save(aChat("Sag hallo", { test: LANGUAGE }));
    await store.save(aChat("Sum this up\nAll of it.", { test: SUMMARY, model: "gpt-4.1" }));
    const fresh = await store.save(aChat("Say bye", { test: WORD, recordedAt: "2026-01-05T11:58:00Z" }));
    session.setCandidates([{ entry: fresh.entry, recordedAt: 1 }]);
    session.addCall(anEvent({ outcome: "miss", test: WORD, miss: aMiss("What is the capital of France?") }));

    const tree = await treeText(model);

    expect(tree).toEqual([
      "- Missing  1",
      '  warning "What is the capital of France?"  gpt-4o-mini · answers in one word · now',
      "- New  1",
      '  circle-filled "Say bye"  gpt-4o-mini · 23 tokens · 2 min',
      "- Recordings  3",
      "  - tests/chat.test.ts  2",
      "    - answers in one word  1",
      '      circle-outline "Say hi in one word"  gpt-4o-mini · 23 tokens · 3 d',
      "    - keeps the language  1",
      '      circle-outline "Sag hallo"  gpt-4o-mini · 23 tokens · 3 d',
      "  - tests/summary.test.ts  1",
      "    - summary  1",
      '      circle-outline "Sum this up"  gpt-4.1 · 23 tokens · 3 d',
    ]);
  });

  it("has a separate group for failed calls, first of all, found by its text", async () => {
    const { store, session, model } = aCallsTree();
    await store.save(aChat("Say hi in one word"));
    const reason = "openai answered with status 401.";
    session.addCall(
      anEvent({
        outcome: "forwarded",
        mode: "record",
        test: WORD,
        label: "Say bye",
        upstreamStatus: 401,
        reason,
      }),
    );

    const tree = await treeText(model);
    model.shown.filterText = "status 401";
    const found = await treeText(model);
    model.shown.filterText = "elsewhere";

    const failed = ["- Failed  1", expect.stringMatching(/^ {2}error "Say bye" {2}status 401 · openai · /u)];
    expect(tree.slice(0, 3)).toEqual([...failed, "- Missing  0"]);
    expect(found.slice(0, 2)).toEqual(failed);
    expect(await treeText(model)).not.toContain("- Failed  1");
  });

  it("offers nothing to accept or to dismiss on a section without rows", async () => {
    const { store, model } = aCallsTree();
    await store.save(aChat("Say hi in one word"));

    const contexts = (await model.roots()).map(({ context }) => context);

    expect(contexts).toEqual(["section empty findings missing", "section empty new", "section recordings"]);
  });

  it("is empty when nothing is recorded and nothing missing, so that the welcome shows", async () => {
    const { model } = aCallsTree();

    expect(await treeText(model)).toEqual([]);
  });

  it.each([
    [
      "file",
      [
        "- Missing  0",
        "- New  0",
        "- Recordings  4",
        "  - tests/chat.test.ts  2",
        "  - tests/summary.test.ts  1",
        "  - Unknown test  1",
      ],
    ],
    ["provider", ["- Missing  0", "- New  0", "- Recordings  4", "  - ollama  1", "  - openai  3"]],
    ["model", ["- Missing  0", "- New  0", "- Recordings  4", "  - gpt-4.1  1", "  - gpt-4o-mini  3"]],
    [
      "day",
      [
        "- Missing  0",
        "- New  0",
        "- Recordings  4",
        "  - Today  1",
        "  - Yesterday  1",
        "  - Friday, January 2, 2026  2",
      ],
    ],
  ] as const)("groups by %s", async (grouping, expected) => {
    const { store, model } = aCallsTree();
    await store.save(aChat("Say hi", { test: WORD, recordedAt: "2026-01-05T10:00:00Z" }));
    await store.save(aChat("Sag hallo", { test: LANGUAGE, recordedAt: "2026-01-04T10:00:00Z" }));
    await store.save(aChat("Sum up", { test: SUMMARY, model: "gpt-4.1" }));
    await store.save(aChat("Dis bonjour", { provider: "ollama" }));

    model.shown.grouping = grouping;

    const tree = await treeText(model, (node) => node.subject.kind === "section");
    expect(tree).toEqual(expected);
  });

  it("shows the status of a recorded error", async () => {
    const { store, model } = aCallsTree();
    await store.save(aChat("Say hi", { test: SUMMARY, status: 429 }));

    expect((await treeText(model)).at(-1)).toBe(
      '      circle-outline "Say hi"  gpt-4o-mini · status 429 · 23 tokens · 3 d',
    );
  });

  it("numbers the takes of a call", async () => {
    const { store, model } = aCallsTree();
    await store.save(aChat("Roll a die", { test: WORD, reply: "4" }));
    await store.save(aChat("Roll a die", { test: WORD, reply: "2" }));

    const tree = await treeText(model);

    expect(tree.filter((line) => line.includes("die"))).toEqual([
      '      circle-outline "Roll a die" → "4"  take 1 of 2 · gpt-4o-mini · 23 tokens · 3 d',
      '      circle-outline "Roll a die" → "2"  take 2 of 2 · gpt-4o-mini · 23 tokens · 3 d',
    ]);
  });

  it("keeps the cases of a parametrised test apart, and names scripts and cells by their files", async () => {
    const { store, session, model } = aCallsTree();
    const made = [
      aTest("tests/test_a.py", "test_x[gpt-4-True]"),
      aTest("tests/test_a.py", "test_x[b]"),
      aTest("scripts/ask.mjs"),
      aTest("report.ipynb", "cell 2"),
    ];
    for (const [at, test] of made.entries()) await store.save(aChat(`Say ${at}`, { test }));
    // As older recordings name it: what was seen since is the better name.
    const { entry, key } = await store.save(aChat("Say hi", { test: aTest("tests/test_a.py", "test_x") }));
    session.addCall(
      anEvent({ outcome: "replayed", entry, key, test: aTest("tests/test_a.py", "test_x[b]") }),
    );

    const tree = await treeText(model);

    expect(tree.slice(2).map((line) => line.replace(/ {2}gpt.*$/u, ""))).toEqual([
      "- Recordings  5",
      "  - report.ipynb  1",
      "    - cell 2  1",
      '      circle-outline "Say 3"',
      "  - scripts/ask.mjs  1",
      '    circle-outline "Say 2"',
      "  - tests/test_a.py  3",
      "    - test_x[b]  2",
      '      circle-outline "Say hi"',
      '      circle-outline "Say 1"',
      "    - test_x[gpt-4-True]  1",
      '      circle-outline "Say 0"',
    ]);
  });

  it("shows a recording under every test that was seen to use it, and counts it once", async () => {
    const { store, session, model } = aCallsTree();
    const { entry, key } = await store.save(aChat("Say hi", { test: WORD }));
    for (const test of [LANGUAGE, SUMMARY])
      session.addCall(anEvent({ outcome: "replayed", entry, key, test }));

    const tree = await treeText(
      model,
      (node) => node.subject.kind !== "group" || node.subject.group.kind === "file",
    );

    expect(tree).toEqual([
      "- Missing  0",
      "- New  0",
      "- Recordings  1",
      "  - tests/chat.test.ts  1",
      "    - keeps the language  1",
      "  - tests/summary.test.ts  1",
      "    - summary  1",
    ]);
  });

  it("shows a file that cannot be read with its place and reason, and everything else as ever", async () => {
    const { store, model, index } = aCallsTree();
    await store.save(aChat("Say hi", { test: WORD }));
    const broken = await store.save(aRecordingWithoutMeaning());

    const tree = await treeText(model);

    expect(tree[2]).toBe("- Recordings  2");
    expect(tree[3]).toBe("  - Unreadable files  1");
    expect(tree[4]).toContain(`error ${broken.key.slice(7, 15)}….json`);
    expect(tree).toContain('      circle-outline "Say hi"  gpt-4o-mini · 23 tokens · 3 d');
    expect(index.facts(broken.entry)?.kind).toBe("broken");
  });

  it("has accessible text for each icon", async () => {
    const { session, model } = aCallsTree();
    session.addCall(anEvent({ outcome: "miss", test: WORD, miss: aMiss("Say hi") }));

    const [section] = await model.roots();
    const [row] = (await section?.children()) ?? [];

    expect(section?.spoken).toBe("Missing, 1 missing call");
    expect(row?.spoken).toBe('"Say hi", gpt-4o-mini, answers in one word, now, missing, not recorded');
  });

  it("marks unused recordings", async () => {
    const { store, session, model } = aCallsTree();
    const old = await store.save(aChat("Say hi", { test: WORD }));
    const now = await store.save(aChat("Say hello", { test: WORD }));
    const nearest = { ...old, recordedAt: "2026-01-01T00:00:00Z", differences: [] };
    const missed = { outcome: "miss", miss: { ...aMiss("Say hey"), nearest } } as const;
    const test = { ...WORD, execution: "2" };
    session.addCall(anEvent({ outcome: "replayed", ...old, test: { ...WORD, execution: "1" } }));
    session.addCall(anEvent({ outcome: "replayed", ...now, test }));
    session.addCall(anEvent({ ...missed, test }));

    const tree = await treeText(model);

    expect(tree).toContain('      history "Say hi"  stale · gpt-4o-mini · 23 tokens · 3 d');
    expect(tree).toContain('      circle-outline "Say hello"  gpt-4o-mini · 23 tokens · 3 d');
  });

  it("finds the line of a recording and of a missing call, with the way to it", async () => {
    const { store, session, model } = aCallsTree();
    const { entry } = await store.save(aChat("Say hi", { test: WORD }));
    session.addCall(anEvent({ outcome: "miss", test: WORD, miss: aMiss("Say bye") }));
    const id = session.findings[0]?.id ?? "";

    const recording = await model.find({ entry });
    const missing = await model.find({ finding: id });

    expect(recording?.label).toBe('"Say hi"');
    expect(recording?.parent?.label).toBe("answers in one word");
    expect(recording?.parent?.parent?.parent?.label).toBe("Recordings");
    expect(missing?.parent?.label).toBe("Missing");
    expect(await model.find({ entry: "calls/openai/00/none.json" })).toBeUndefined();
  });

  it("groups new recordings as well when there are many", async () => {
    const { store, session, model } = aCallsTree();
    const saved = [];
    for (let n = 0; n < 13; n += 1)
      saved.push(await store.save(aChat(`Question ${n}`, { test: n < 3 ? SUMMARY : WORD })));
    session.setCandidates(
      saved.map(({ entry }, recordedAt) => ({ entry, recordedAt, test: recordedAt < 3 ? SUMMARY : WORD })),
    );

    const tree = await treeText(model, (node) => node.subject.kind === "section");

    expect(tree).toEqual([
      "- Missing  0",
      "- New  13",
      "  - summary  3",
      "  - answers in one word  10",
      "- Recordings  0",
    ]);
  });

  it("groups recordings of failed tests separately, and marks those that were recorded again", async () => {
    const { store, session, model } = aCallsTree();
    const good = await store.save(aChat("Say hi", { test: WORD }));
    const bad = await store.save(aChat("Sum up", { test: SUMMARY }));
    session.setCandidates([
      { entry: good.entry, recordedAt: 1, test: WORD, outcome: "passed", replaces: true },
      { entry: bad.entry, recordedAt: 2, test: SUMMARY, outcome: "failed" },
    ]);

    const tree = await treeText(model);

    expect(tree).toEqual([
      "- Missing  0",
      "- New  1",
      '  circle-filled "Say hi"  re-recorded · gpt-4o-mini · 23 tokens · 3 d',
      "- New, from failed tests  1",
      '  circle-filled "Sum up"  gpt-4o-mini · 23 tokens · 3 d',
      "- Recordings  0",
    ]);
    const [, , failed] = await model.roots();
    expect(failed?.context).toBe("section new failed");
  });
});

function aRecordingWithoutMeaning(): ReturnType<typeof aChat> {
  return {
    ...aChat("unreadable"),
    request: { method: "POST", path: "/v1/chat/completions", body: new Uint8Array([123]) },
  };
}
