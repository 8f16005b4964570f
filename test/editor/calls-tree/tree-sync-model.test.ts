import { describe, expect, it } from "vitest";
import { type TreeSync, createTreeSync } from "../../../src/editor/calls-tree/tree-sync-model.ts";
import { aChatCall, assistant, recordingOf, user } from "../../core/view/conversation/conversations.ts";
import { aCallsTree, aChat, aMiss, anEvent, aTest } from "./a-calls-tree.ts";
import type { CallNode } from "../../../src/editor/calls/call-node-model.ts";

const WORD = aTest("tests/chat.test.ts", "answers in one word");

/** Asks for all lines, as an editor does whose person opened everything. */
async function drawAll(sync: TreeSync, node?: CallNode): Promise<readonly CallNode[]> {
  const children = await sync.children(node);
  for (const child of children) sync.draw(child);
  const below = await Promise.all(children.map((child) => drawAll(sync, child)));
  return [...children, ...below.flat()];
}

async function aDrawnTree(): Promise<
  ReturnType<typeof aCallsTree> & { readonly sync: TreeSync; readonly lines: readonly CallNode[] }
> {
  const calls = aCallsTree();
  await calls.store.save(aChat("Say hi", { test: WORD }));
  await calls.store.save(aChat("Sum up", { test: aTest("tests/summary.test.ts", "sums up") }));
  const sync = createTreeSync(() => calls.model.roots());
  const lines = await drawAll(sync);
  return { ...calls, sync, lines };
}

const labels = (nodes: readonly (CallNode | undefined)[]): readonly (string | undefined)[] =>
  nodes.map((node) => node?.label);

describe("drawing the tree again", () => {
  it("is not done when nothing changed", async () => {
    const { sync } = await aDrawnTree();

    expect(await sync.changes()).toEqual([]);
  });

  it("is done for the one row that changed, which keeps its object", async () => {
    const { sync, lines, store, index } = await aDrawnTree();
    const row = lines.find((line) => line.label === '"Say hi"');
    const entry = row?.subject.kind === "recording" ? row.subject.address.entry : "";

    await store.replace(entry, { ...aChat("Say hi", { test: WORD }), model: "gpt-5" });
    await index.settled();
    const changes = await sync.changes();

    expect(labels(changes)).toEqual(['"Say hi"']);
    expect(changes[0]).toBe(row);
    expect(row && sync.draw(row).label).toBe('"Say hi"');
    expect(await sync.changes()).toEqual([]);
    expect(row && sync.current(row).description).toContain("gpt-5");
    expect(sync.parent(row!)).toBe(lines.find((line) => line.label === "answers in one word"));
  });

  it("is done for the section that got a row", async () => {
    const { sync, session } = await aDrawnTree();

    session.addCall(anEvent({ outcome: "miss", test: WORD, miss: aMiss("Say bye") }));
    const changes = await sync.changes();

    expect(labels(changes)).toEqual(["Missing"]);
  });

  it("is done for all when the sections change", async () => {
    const { sync, model } = await aDrawnTree();

    model.shown.filterText = "sum";

    expect(labels(await sync.changes())).toEqual([undefined]);
  });

  it("returns the current row for a line that was returned before", async () => {
    const { sync, lines, store, index } = await aDrawnTree();
    const group = lines.find((line) => line.label === "tests/chat.test.ts");

    await store.save(aChat("Say bye", { test: WORD }));
    await index.settled();
    await sync.changes();
    const inner = (await sync.children(group)).map((line) => sync.current(line));

    expect(inner.map(({ label, description }) => `${label} ${description}`)).toEqual([
      "answers in one word 2",
    ]);
  });

  it("is requested twice, however long the editor takes, which loses a request while it lists rows", async () => {
    const { sync, store, index, session } = await aDrawnTree();

    await store.save(aChat("Say bye", { test: WORD }));
    await index.settled();
    expect(labels(await sync.changes())).toEqual(["Recordings"]);
    expect(labels(await sync.changes())).toEqual(["Recordings"]);

    expect(await sync.changes()).toEqual([]);
    session.addCall(anEvent({ outcome: "miss", test: WORD, miss: aMiss("Say bye") }));
    expect(labels(await sync.changes())).toEqual(["Missing"]);
    await drawAll(sync);
    expect(await sync.changes()).toEqual([]);
  });

  it("is requested again when a row changes after the editor drew it", async () => {
    const { sync, store, index } = await aDrawnTree();
    await store.save(aChat("Say bye", { test: WORD }));
    await index.settled();
    await sync.changes();
    const shown = await drawAll(sync);

    await store.save(aChat("Say more", { test: WORD }));
    await index.settled();

    expect(labels(await sync.changes())).toEqual(["Recordings"]);
    expect(shown.map(({ label }) => label)).toContain('"Say bye"');
  });

  it("keeps the place of a turn that is continued twice, which then expands", async () => {
    const { model, store } = aCallsTree();
    const turn = (minute: number, messages: readonly unknown[], answer: string) =>
      store.save({
        ...recordingOf(aChatCall(messages, answer)),
        recordedAt: `2026-01-02T12:0${minute}:00Z`,
        test: WORD,
      });
    const planned = [user("Plan a trip"), assistant("Rome or Oslo?")];
    await turn(0, planned.slice(0, 1), "Rome or Oslo?");
    await turn(1, [...planned, user("Rome")], "Take the train.");
    const sync = createTreeSync(() => model.roots());
    const before = await drawAll(sync);

    await turn(2, [...planned, user("Oslo")], "Take a coat.");
    const changed = await sync.changes();
    const after = await drawAll(sync);

    const first = (nodes: readonly CallNode[]) =>
      nodes.find(({ label }) => label === '1 "Rome or Oslo?"')?.id;
    expect(labels(changed)).toEqual(["Recordings"]);
    expect(labels(after).slice(-3)).toEqual(['1 "Rome or Oslo?"', '2 "Take the train."', '2 "Take a coat."']);
    expect(first(after)).toBe(first(before));
  });

  it("is done once lines can be listed that could not", async () => {
    const { model, store } = aCallsTree();
    await store.save(aChat("Say hi", { test: WORD }));
    let isBroken = true;
    const sync = createTreeSync(() => (isBroken ? Promise.reject(new Error("no folder")) : model.roots()));
    await expect(sync.children(undefined)).rejects.toThrow("no folder");

    isBroken = false;

    expect(labels(await sync.changes())).toEqual([undefined]);
  });
});
