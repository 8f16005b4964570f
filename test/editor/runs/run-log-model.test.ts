import { describe, expect, it } from "vitest";
import type { RunRecord } from "../../../src/core/view/run-record/run-record.ts";
import { pickRunHead } from "../../../src/core/view/run-record/run-record-text.ts";
import { createRunLog, findRun } from "../../../src/editor/runs/run-log-model.ts";
import { aRun, aRunCall } from "../../support/a-run.ts";
import { aCall } from "../call-events.ts";

function aLog({ fails = false } = {}) {
  const kept: RunRecord[] = [aRun([aRunCall("old")])];
  const failures: unknown[] = [];
  const completed: string[] = [];
  const log = createRunLog({
    newId: (startedAt) => `run ${startedAt}`,
    complete: async (calls) => {
      completed.push(...calls.filter(({ costUsd }) => costUsd === undefined).map(({ label }) => label));
      return calls.map((call) => ({ ...call, costUsd: 1 }));
    },
    keep: async (record) => {
      if (fails) throw new Error("the disk is full");
      kept.unshift(record);
    },
    kept: {
      list: async () => kept.map(pickRunHead),
      read: async (id) => kept.find((one) => one.id === id),
    },
    failed: (error) => failures.push(error),
  });
  return { log, kept, failures, completed };
}

describe("the runs of a window", () => {
  it("can be read while they are under way, in the order in which calls arrived", async () => {
    const { log } = aLog();
    log.addCall(aCall("second", { at: 2_000 }), "a");
    log.addCall(aCall("first", { at: 1_900 }), "a");
    const [newest] = await log.list();

    const run = await log.read(newest?.id ?? "");
    expect(run?.calls.map(({ label, costUsd }) => [label, costUsd])).toEqual([
      ["first", 1],
      ["second", 1],
    ]);
  });

  it("look into each call's recording once, however often they are read", async () => {
    const { log, completed, kept } = aLog();
    log.addCall(aCall("a", { at: 1_000 }), "one");
    await log.read("run 1000");
    await log.read("run 1000");
    log.addCall(aCall("b", { at: 2_000 }), "one");
    await log.read("run 1000");
    await log.close();

    expect(completed).toEqual(["a", "b"]);
    expect(kept[0]?.calls.map(({ label }) => label)).toEqual(["a", "b"]);
  });

  it("are kept when they end, each with the calls that were its own", async () => {
    const { log, kept } = aLog();
    log.addCall(aCall("a", { at: 1_000 }), "one");
    log.addCall(aCall("b", { at: 1_500 }), "two");
    log.endRun("one", true);
    await log.close();

    expect(kept.map(({ id, passed, calls }) => [id, passed, calls.map(({ label }) => label)])).toEqual([
      ["run 1500", undefined, ["b"]],
      ["run 1000", true, ["a"]],
      ["1800000000000-0a1b2c3d", undefined, ["old"]],
    ]);
  });

  it("that cannot be written are reported and block nothing", async () => {
    const { log, failures } = aLog({ fails: true });
    log.addCall(aCall("a", { at: 1_000 }), "one");
    await log.close();

    expect(failures).toEqual([new Error("the disk is full")]);
    expect((await log.list()).map(({ id }) => id)).toEqual(["1800000000000-0a1b2c3d"]);
  });
});

describe("the run of a timeline", () => {
  const newest = aRun([aRunCall("a", { test: { file: "a.test.ts", name: ["a"] } })], { id: "newest" });
  const older = aRun([aRunCall("b", { test: { file: "b.test.ts", name: ["suite", "b"] } })], { id: "older" });
  const logOf = (...runs: readonly RunRecord[]) => ({
    list: async () => runs.map(pickRunHead),
    read: async (id: string) => runs.find((one) => one.id === id),
  });

  it("is the newest one in which the test, suite, or file made a call", async () => {
    for (const name of [["suite", "b"], ["suite"], []])
      expect((await findRun({ file: "b.test.ts", name }, logOf(newest, older)))?.id).toBe("older");
    expect((await findRun({ file: "c.test.ts", name: [] }, logOf(newest, older)))?.id).toBe("newest");
    expect((await findRun(undefined, logOf(newest, older)))?.id).toBe("newest");
    expect(await findRun(undefined, logOf())).toBeUndefined();
  });
});
