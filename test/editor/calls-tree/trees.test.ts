import { expect, it } from "vitest";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import type { CallEvent } from "../../../src/core/call/call.ts";
import type { CallNode } from "../../../src/editor/calls/call-node-model.ts";
import type { Grouping } from "../../../src/editor/calls-tree/call-groups-model.ts";
import {
  createFolderRoots,
  createIdInFolder,
  findInFolder,
  type TreeFolder,
} from "../../../src/editor/calls-tree/folder-nodes-model.ts";
import { aChatCall, assistant, recordingOf, user } from "../../core/view/conversation/conversations.ts";
import { FAMILIES } from "../../core/view/conversation/families.ts";
import { aCallsTree, aChat, aMiss, anEvent, aTest, openNodes, type CallsUnderTest } from "./a-calls-tree.ts";

/*
 * Stories of the view Calls: recordings and calls go in, and the tree comes out. The page beside this test has each tree
 * with all rows open: icon, label, description, the context of its menu, and how it is read aloud. `vitest FILE -u`
 * writes the page anew.
 */

const WORD = aTest("tests/chat.test.ts", "chat", "answers in one word");
const LANGUAGE = aTest("tests/chat.test.ts", "chat", "keeps the language");
const SUMMARY = aTest("tests/summary.test.ts", "summary");
const AGENT = aTest("tests/agent.test.ts", "looks the order up");

type Story = (calls: CallsUnderTest) => Promise<unknown>;

async function saveAll({ store }: CallsUnderTest, ...all: readonly Recording[]) {
  const saved = [];
  for (const one of all) saved.push(await store.save(one));
  return saved;
}
const saves =
  (...all: readonly Recording[]): Story =>
  (calls) =>
    saveAll(calls, ...all);

const missing = (question: string, test = WORD): CallEvent =>
  anEvent({ outcome: "miss", test, miss: aMiss(question) });

/** A recorded turn of a conversation. `minute`: when it was made. */
const turn = (messages: readonly unknown[], answer: unknown, minute = 0): Recording =>
  ofAgent(recordingOf(aChatCall(messages, answer)), minute);
const ofAgent = (recording: Recording, minute: number): Recording => ({
  ...recording,
  model: "gpt-4o-mini",
  recordedAt: `2026-01-02T12:0${minute}:00Z`,
  test: AGENT,
});
const PLAN = turn([user("Plan a trip")], "Rome or Oslo?");
const PLANNED = [user("Plan a trip"), assistant("Rome or Oslo?")];
const ROME = turn([...PLANNED, user("Rome")], "Take the train.", 1);
const OSLO = turn([...PLANNED, user("Oslo")], "Take a coat.", 2);
const FAMILY = (FAMILIES["OpenAI's chat"] ?? []).map((call, at) => ofAgent(recordingOf(call), at));

const UNREADABLE: Recording = {
  ...aChat("unreadable"),
  request: { method: "POST", path: "/v1/chat/completions", body: new Uint8Array([123]) },
};

const groupedBy =
  (grouping: Grouping): Story =>
  async (calls) => {
    await saveAll(
      calls,
      aChat("Say hi", { test: WORD, recordedAt: "2026-01-05T10:00:00Z" }),
      aChat("Sag hallo", { test: LANGUAGE, recordedAt: "2026-01-04T10:00:00Z" }),
      aChat("Sum up", { test: SUMMARY, model: "gpt-4.1" }),
      aChat("Dis bonjour", { provider: "ollama" }),
    );
    calls.model.shown.grouping = grouping;
  };

const failedAndFiltered =
  (filter: string): Story =>
  async (calls) => {
    await saveAll(calls, aChat("Say hi in one word"));
    const reason = "openai answered with status 401.";
    const failure = { outcome: "forwarded", mode: "record", upstreamStatus: 401, reason } as const;
    calls.session.addCall(anEvent({ ...failure, test: WORD, label: "Say bye" }));
    calls.model.shown.filterText = filter;
  };

const STORIES: Readonly<Record<string, Story>> = {
  "missing calls, new ones, and recordings by test": async (calls) => {
    const { session } = calls;
    const saved = await saveAll(
      calls,
      aChat("Say hi in one word", { test: WORD }),
      aChat("Sag hallo", { test: LANGUAGE }),
      aChat("Sum this up\nAll of it.", { test: SUMMARY, model: "gpt-4.1" }),
      aChat("Say bye", { test: WORD, recordedAt: "2026-01-05T11:58:00Z" }),
    );
    session.setCandidates([{ entry: saved[3]?.entry ?? "", recordedAt: 1 }]);
    session.addCall(missing("What is the capital of France?"));
  },
  "failed calls first": failedAndFiltered(""),
  "failed calls by their text": failedAndFiltered("status 401"),
  "no failed calls under another filter": failedAndFiltered("elsewhere"),
  "nothing, so that the welcome shows": async () => {},
  ...Object.fromEntries(
    (["file", "provider", "model", "day"] as const).map((one) => [`groups by ${one}`, groupedBy(one)]),
  ),
  "the status of a recorded error": saves(aChat("Say hi", { test: SUMMARY, status: 429 })),
  "the takes of a call": saves(...["4", "2"].map((reply) => aChat("Roll a die", { test: WORD, reply }))),
  "cases of a parametrized test, scripts, and cells": async (calls) => {
    const tests = [
      aTest("tests/test_a.py", "test_x[gpt-4-True]"),
      aTest("tests/test_a.py", "test_x[b]"),
      aTest("scripts/ask.mjs"),
      aTest("report.ipynb", "cell 2"),
    ];
    await saveAll(calls, ...tests.map((test, at) => aChat(`Say ${at}`, { test })));
    // As older recordings name it: what was seen since is the better name.
    const [saved] = await saveAll(calls, aChat("Say hi", { test: aTest("tests/test_a.py", "test_x") }));
    calls.session.addCall(
      anEvent({ outcome: "replayed", ...saved, test: aTest("tests/test_a.py", "test_x[b]") }),
    );
  },
  "a recording under every test that was seen to use it, counted once": async (calls) => {
    const [saved] = await saveAll(calls, aChat("Say hi", { test: WORD }));
    for (const test of [LANGUAGE, SUMMARY])
      calls.session.addCall(anEvent({ outcome: "replayed", ...saved, test }));
  },
  "a file that cannot be read, and everything else as ever": saves(
    aChat("Say hi", { test: WORD }),
    UNREADABLE,
  ),
  "a stale recording": async (calls) => {
    const [old, now] = await saveAll(
      calls,
      ...["Say hi", "Say hello"].map((text) => aChat(text, { test: WORD })),
    );
    if (!old) return;
    const nearest = { ...old, recordedAt: "2026-01-01T00:00:00Z", differences: [] };
    const test = { ...WORD, execution: "2" };
    calls.session.addCall(anEvent({ outcome: "replayed", ...old, test: { ...WORD, execution: "1" } }));
    calls.session.addCall(anEvent({ outcome: "replayed", ...now, test }));
    calls.session.addCall(anEvent({ outcome: "miss", miss: { ...aMiss("Say hey"), nearest }, test }));
  },
  "many new recordings by test": async (calls) => {
    const tests = Array.from({ length: 13 }, (_, at) => (at < 3 ? SUMMARY : WORD));
    const saved = await saveAll(calls, ...tests.map((test, at) => aChat(`Question ${at}`, { test })));
    const named = (at: number) => ({ ...(tests[at] && { test: tests[at] }) });
    calls.session.setCandidates(saved.map(({ entry }, at) => ({ entry, recordedAt: at, ...named(at) })));
  },
  "new recordings of failed tests, and those that were recorded again": async (calls) => {
    const [good, bad] = await saveAll(
      calls,
      aChat("Say hi", { test: WORD }),
      aChat("Sum up", { test: SUMMARY }),
    );
    calls.session.setCandidates([
      { entry: good?.entry ?? "", recordedAt: 1, test: WORD, outcome: "passed", replaces: true },
      { entry: bad?.entry ?? "", recordedAt: 2, test: SUMMARY, outcome: "failed" },
    ]);
  },
  "the turns of a conversation, in the order of calls": saves(...FAMILY.toReversed()),
  "parallel branches below the turn where they diverge": saves(PLAN, ROME, OSLO),
  "several conversations, and calls alone beside them": saves(PLAN, turn([user("Say hi")], "Hi!", 1), ROME),
  "calls in the order of the last run": async (calls) => {
    const saved = await saveAll(
      calls,
      aChat("First asked", { test: AGENT, recordedAt: "2026-01-04T12:00:00Z" }),
      aChat("Then asked", { test: AGENT, recordedAt: "2026-01-02T12:00:00Z" }),
    );
    for (const { entry } of saved)
      calls.session.addCall(anEvent({ outcome: "replayed", entry, test: AGENT }));
  },
  "new turns": async (calls) => {
    const saved = await saveAll(calls, ROME, PLAN);
    calls.session.setCandidates(saved.map(({ entry }, at) => ({ entry, recordedAt: 2 - at, test: AGENT })));
  },
  "no turns unless calls are grouped by test": async (calls) => {
    await saveAll(calls, PLAN, ROME);
    calls.model.shown.grouping = "model";
  },
};

const NONE = new Map<string, boolean>();

function folderOf(name: string, { model, session }: CallsUnderTest): TreeFolder {
  return { tag: `file:///projects/${name}`, name, mode: "strict", missing: session.findings.length, model };
}

async function twoFolders() {
  const [api, web] = [aCallsTree(), aCallsTree()];
  const hello = aChat("Hello", { test: aTest("tests/a.test.ts", "greets") });
  const [[saved]] = [await saveAll(api, hello), await saveAll(web, hello)];
  web.session.addCall(missing("What is missing?"));
  return { entry: saved?.entry ?? "", api, folders: [folderOf("api", api), folderOf("web", web)] as const };
}

const rowsOf = async (model: Parameters<typeof openNodes>[0]): Promise<readonly string[]> =>
  (await openNodes(model)).map(({ node, depth }) => {
    const { icon = "-", label, description, context, spoken } = node;
    return `${"  ".repeat(depth)}${icon} ${label}  ${description}  [${context}]  "${spoken}"`;
  });

it("the tree of calls is as the page has it", async () => {
  const page: string[] = [];
  for (const [title, story] of Object.entries(STORIES)) {
    const calls = aCallsTree();
    await story(calls);
    page.push(`# ${title}`, ...(await rowsOf(calls.model)), "");
  }
  const { folders } = await twoFolders();
  const off = { ...folderOf("old", aCallsTree()), mode: undefined };
  const roots = () => createFolderRoots([...folders, folderOf("new", aCallsTree()), off], NONE);
  page.push("# two folders, an empty one, and one that is off", ...(await rowsOf({ roots })), "");

  await expect(page.join("\n")).toMatchFileSnapshot("trees.txt");
});

const above = (node: CallNode | undefined): readonly string[] =>
  node?.parent === undefined ? [] : [node.parent.label, ...above(node.parent)];

it("a recording, a turn, and a missing call are found with all rows above them", async () => {
  const calls = aCallsTree();
  const { model, session } = calls;
  const [hi, , , oslo] = await saveAll(calls, aChat("Say hi", { test: WORD }), PLAN, ROME, OSLO);
  session.addCall(missing("Say bye"));

  const found = [
    await model.find({ entry: hi?.entry ?? "" }),
    await model.find({ entry: oslo?.entry ?? "" }),
    await model.find({ finding: session.findings[0]?.id ?? "" }),
  ];

  expect(found.map((node) => [node?.label, ...above(node)])).toEqual([
    ['"Say hi"', "answers in one word", "tests/chat.test.ts", "Recordings"],
    ['2 "Take a coat."', '1 "Rome or Oslo?"', "looks the order up", "tests/agent.test.ts", "Recordings"],
    ['"Say bye"', "Missing"],
  ]);
  expect(await model.find({ entry: "calls/openai/00/none.json" })).toBeUndefined();
});

it("recordings of one test are shown in pages when there are very many, none of them twice", async () => {
  const calls = aCallsTree();
  await saveAll(calls, ...Array.from({ length: 620 }, (_, at) => aChat(`Question ${at}`, { test: AGENT })));
  calls.index.readAll();
  await calls.index.settled();

  const nodes = (await openNodes(calls.model)).map(({ node }) => node);

  const pages = nodes.filter(({ id }) => /\/from \d+$/u.test(id));
  expect(pages.map(({ label }) => label)).toEqual(["1 to 500", "501 to 620"]);
  expect(new Set(nodes.flatMap(({ label }) => (label.startsWith('"') ? [label] : []))).size).toBe(620);
});

it("a single folder has no row", async () => {
  const { api, folders } = await twoFolders();

  const roots = await createFolderRoots(folders.slice(0, 1), NONE);

  expect(roots.map(({ id }) => id)).toEqual((await api.model.roots()).map(({ id }) => id));
  expect(await createFolderRoots([], NONE)).toEqual([]);
});

it("empty folders have no row while Tapedeck is off in all of them, so that the view explains what to do", async () => {
  const off = ["api", "web"].map((name) => ({ ...folderOf(name, aCallsTree()), mode: undefined }));

  expect(await createFolderRoots(off, NONE)).toEqual([]);
  expect(await createFolderRoots([...off, folderOf("new", aCallsTree())], NONE)).toHaveLength(3);
});

it("rows of the same call in two folders have different ids, and know their folder", async () => {
  const { entry, folders } = await twoFolders();
  const [api, web] = await createFolderRoots(folders, NONE);
  const [inApi = [], inWeb = []] = [await api?.children(), await web?.children()];

  expect(inApi.map(createIdInFolder)).toEqual(inWeb.map(createIdInFolder));
  expect(new Set([...inApi, ...inWeb].map(({ id }) => id)).size).toBe(6);
  expect(new Set(inWeb.map(({ folder }) => folder))).toEqual(new Set(["file:///projects/web"]));
  const find = (isOnly: boolean) => findInFolder(folders[1], { entry }, { isOnly, opened: NONE });
  expect(above(await find(false))).toEqual(["greets", "tests/a.test.ts", "Recordings", "web"]);
  expect((await find(true))?.folder).toBeUndefined();
});

it("a folder stays closed that a person closed", async () => {
  const { folders } = await twoFolders();
  const [api] = await createFolderRoots(folders, NONE);

  const roots = await createFolderRoots(folders, new Map([[api?.id ?? "", false]]));

  expect(roots.map(({ expand }) => expand)).toEqual(["closed", "open"]);
});
