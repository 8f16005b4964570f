import { describe, expect, it } from "vitest";
import { readTargets } from "../../../src/editor/calls/call-node-model.ts";
import { createUndoStack } from "../../../src/editor/window/undo-model.ts";
import { groupRequestsByTest } from "../../../src/editor/test-code/test-target-model.ts";
import { aCallsTree, aChat, aTest } from "../calls-tree/a-calls-tree.ts";

describe("the target of a command", () => {
  it("reads entries, targets and lists of them, each once", () => {
    expect(readTargets(["calls/a.json"])).toEqual([{ entry: "calls/a.json" }]);
    expect(readTargets([[{ entry: "a" }, { finding: "m" }, { entry: "a" }]])).toEqual([
      { entry: "a" },
      { finding: "m" },
    ]);
    expect(readTargets([undefined, null])).toEqual([]);
  });

  it("takes a group for all that is in it, and the selection when the clicked line belongs to it", async () => {
    const { store, model } = aCallsTree();
    const { entry: first } = await store.save(aChat("one", { test: aTest("tests/a.test.ts", "a") }));
    const { entry: second } = await store.save(aChat("two", { test: aTest("tests/b.test.ts", "b") }));
    const section = (await model.roots()).at(-1);
    const [a, b] = (await section?.children()) ?? [];

    expect(readTargets([a])).toEqual([{ entry: first }]);
    expect(readTargets([a, [a, b]])).toEqual([{ entry: first }, { entry: second }]);
    expect(readTargets([a, [b]])).toEqual([{ entry: first }]);
  });
});

describe("undo", () => {
  it("takes back the newest step, each once, and keeps one that failed", async () => {
    const taken: string[] = [];
    let fails = true;
    const stack = createUndoStack(() => undefined);
    stack.push({ done: "first", undo: async () => void taken.push("first") });
    stack.push({
      done: "second",
      async undo() {
        if (fails) throw new Error("in use");
        taken.push("second");
      },
    });

    await expect(stack.undo()).rejects.toThrow("in use");
    fails = false;
    await stack.undo();
    await stack.undo();

    expect(taken).toEqual(["second", "first"]);
    expect(await stack.undo()).toBeUndefined();
  });
});

describe("recording again", () => {
  it("runs each test once for all of its calls", () => {
    const a = aTest("tests/a.test.ts", "a");
    const b = aTest("tests/a.test.ts", "b");

    const requests = groupRequestsByTest(
      [
        { test: a, key: "sha256:1" },
        { test: b, key: "sha256:2" },
        { test: { ...a, line: 4 }, key: "sha256:3" },
      ],
      { mode: "record", override: "refresh" },
    );

    expect(requests).toEqual([
      {
        test: a,
        mode: "record",
        overrides: [
          ["sha256:1", "refresh"],
          ["sha256:3", "refresh"],
        ],
      },
      { test: b, mode: "record", overrides: [["sha256:2", "refresh"]] },
    ]);
  });
});
