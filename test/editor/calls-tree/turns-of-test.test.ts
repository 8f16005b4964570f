import { describe, expect, it } from "vitest";
import type { Recording } from "../../../src/core/cassette/recording.ts";
import type { CallNode } from "../../../src/editor/calls/call-node-model.ts";
import { aChatCall, assistant, recordingOf, user } from "../../core/view/conversation/conversations.ts";
import { createTreeSync } from "../../../src/editor/calls-tree/tree-sync-model.ts";
import { FAMILIES } from "../../core/view/conversation/families.ts";
import { aCallsTree, aChat, anEvent, aTest, treeText } from "./a-calls-tree.ts";

const AGENT = aTest("tests/agent.test.ts", "looks the order up");

/** A recorded chat of the test. `minute`: when it was made. */
function turn(messages: readonly unknown[], answer: unknown, minute = 0): Recording {
  return ofAgent(recordingOf(aChatCall(messages, answer)), minute);
}

function ofAgent(recording: Recording, minute: number): Recording {
  const recordedAt = `2026-01-02T12:0${minute}:00Z`;
  return { ...recording, model: "gpt-4o-mini", recordedAt, test: AGENT };
}

const PLAN = [user("Plan a trip")];
const PLANNED = [...PLAN, assistant("Rome or Oslo?")];

describe("a test's recordings in the tree", () => {
  it("are the turns of a conversation in the order of calls, named by the message that each answers", async () => {
    const { store, model } = aCallsTree();
    const [first, second] = FAMILIES["OpenAI's chat"] ?? [];
    if (!first || !second) throw new Error("The family is gone.");
    await store.save(ofAgent(recordingOf(second), 1));
    await store.save(ofAgent(recordingOf(first), 0));

    const rows = (await treeText(model)).slice(-2);

    expect(rows).toEqual([
      '      circle-outline 1 look_up_order(A-1042)  "Where is my order A-1042?" · gpt-4o-mini · 3 d',
      '      circle-outline 2 "It ships Friday."  gpt-4o-mini · 2 d',
    ]);
  });

  it("show parallel branches below the turn where they diverge, expanded, with accessible text", async () => {
    const { store, model } = aCallsTree();
    await store.save(turn(PLAN, "Rome or Oslo?"));
    await store.save(turn([...PLANNED, user("Rome")], "Take the train.", 1));
    await store.save(turn([...PLANNED, user("Oslo")], "Take a coat.", 2));

    const rows = (await treeText(model)).slice(-3);
    const spoken = (await allNodes(model)).at(-1)?.spoken;

    expect(rows).toEqual([
      '      circle-outline 1 "Rome or Oslo?"  "Plan a trip" · gpt-4o-mini · 3 d',
      '        circle-outline 2 "Take the train."  "Rome" · gpt-4o-mini · 2 d',
      '        circle-outline 2 "Take a coat."  "Oslo" · gpt-4o-mini · 2 d',
    ]);
    expect(spoken).toBe('turn 2, asked "Oslo", answered "Take a coat.", gpt-4o-mini, 2 d, recorded');
  });

  it("keep several conversations apart, each below its first turn, and calls alone beside them", async () => {
    const { store, model } = aCallsTree();
    await store.save(turn(PLAN, "Rome or Oslo?"));
    await store.save(turn([user("Say hi")], "Hi!", 1));
    await store.save(turn([...PLANNED, user("Rome")], "Take the train.", 2));

    const rows = (await treeText(model)).slice(-3);

    expect(rows).toEqual([
      '      circle-outline 1 "Rome or Oslo?"  "Plan a trip" · gpt-4o-mini · 3 d',
      '        circle-outline 2 "Take the train."  "Rome" · gpt-4o-mini · 2 d',
      '      circle-outline "Say hi"  gpt-4o-mini · 2 d',
    ]);
  });

  it("are in the order of the last run, whenever they were recorded", async () => {
    const { store, session, model } = aCallsTree();
    const late = await store.save(aChat("First asked", { test: AGENT, recordedAt: "2026-01-04T12:00:00Z" }));
    const early = await store.save(aChat("Then asked", { test: AGENT, recordedAt: "2026-01-02T12:00:00Z" }));
    for (const { entry } of [late, early])
      session.addCall(anEvent({ outcome: "replayed", entry, test: AGENT }));

    const rows = (await treeText(model)).slice(-2);

    expect(rows.map((row) => row.trim().split("  ")[0])).toEqual([
      'circle-outline "First asked"',
      'circle-outline "Then asked"',
    ]);
  });

  it("that are new are turns as well", async () => {
    const { store, session, model } = aCallsTree();
    const first = await store.save(turn(PLAN, "Rome or Oslo?"));
    const second = await store.save(turn([...PLANNED, user("Rome")], "Take the train.", 1));
    session.setCandidates(
      [second, first].map(({ entry }, at) => ({ entry, recordedAt: 2 - at, test: AGENT })),
    );

    const labels = (await allNodes(model)).map(({ label }) => label);

    expect(labels).toEqual(["Missing", "New", '1 "Rome or Oslo?"', '2 "Take the train."', "Recordings"]);
  });

  it("are found below another row", async () => {
    const { store, model } = aCallsTree();
    await store.save(turn(PLAN, "Rome or Oslo?"));
    await store.save(turn([...PLANNED, user("Rome")], "Take the train.", 1));
    const { entry } = await store.save(turn([...PLANNED, user("Oslo")], "Take a coat.", 2));

    const found = await model.find({ entry });

    expect(found?.label).toBe('2 "Take a coat."');
    expect(found?.parent?.label).toBe('1 "Rome or Oslo?"');
  });

  it("keep their place while others arrive, and a turn that is continued twice expands", async () => {
    const { store, model } = aCallsTree();
    await store.save(turn(PLAN, "Rome or Oslo?"));
    await store.save(turn([...PLANNED, user("Rome")], "Take the train.", 1));
    const sync = createTreeSync(() => model.roots());
    const shown = async (): Promise<readonly CallNode[]> => {
      const open = async (nodes: readonly CallNode[]): Promise<readonly CallNode[]> => {
        const below: CallNode[][] = [];
        for (const node of nodes) below.push([sync.draw(node), ...(await open(await sync.children(node)))]);
        return below.flat();
      };
      return open(await sync.children(undefined));
    };
    const before = await shown();
    const first = before.find(({ label }) => label === '1 "Rome or Oslo?"');

    await store.save(turn([...PLANNED, user("Oslo")], "Take a coat.", 2));
    const changed = await sync.changes();
    const after = await shown();

    expect(changed.map((node) => node?.label)).toEqual(["Recordings"]);
    expect(after.map(({ label }) => label).slice(-3)).toEqual([
      '1 "Rome or Oslo?"',
      '2 "Take the train."',
      '2 "Take a coat."',
    ]);
    expect(after.find(({ label }) => label === '1 "Rome or Oslo?"')?.id).toBe(first?.id);
  });

  it("are turns only if they are grouped by test", async () => {
    const { store, model } = aCallsTree();
    await store.save(turn(PLAN, "Rome or Oslo?"));
    await store.save(turn([...PLANNED, user("Rome")], "Take the train.", 1));
    model.shown.grouping = "model";

    const labels = (await allNodes(model)).map(({ label }) => label);

    expect(labels.slice(-2)).toEqual(['"Rome"', '"Plan a trip"']);
  });

  it("are shown in pages when a test has very many, none of them twice", async () => {
    const { store, index, model } = aCallsTree();
    const count = 620;
    for (let at = 0; at < count; at += 1) await store.save(aChat(`Question ${at}`, { test: AGENT }));

    index.readAll();
    await index.settled();

    const nodes = await allNodes(model);

    const pages = nodes.filter(({ id }) => /\/from \d+$/u.test(id));
    expect(pages.map(({ label }) => label)).toEqual(["1 to 500", "501 to 620"]);
    expect(new Set(nodes.map(({ label }) => label).filter((label) => label.startsWith('"'))).size).toBe(
      count,
    );
  });
});

async function allNodes(model: { roots(): Promise<readonly CallNode[]> }): Promise<readonly CallNode[]> {
  const open = async (nodes: readonly CallNode[]): Promise<readonly CallNode[]> =>
    (await Promise.all(nodes.map(async (node) => [node, ...(await open(await node.children()))]))).flat();
  return open(await model.roots());
}
