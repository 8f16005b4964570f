import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { CallEvent } from "../../../src/core/call/call.ts";
import { NO_USAGE, listUses, type RecordingUsage } from "../../../src/core/view/usage/usage.ts";
import { createSessionMemory } from "../../../src/editor/session/session-memory.ts";
import {
  acceptCandidates,
  listCandidates,
  type NewRecording,
} from "../../../src/storage/local/candidates.ts";
import { readUsage } from "../../../src/storage/local/usage-file.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aCall, aTest, entryOf } from "../call-events.ts";

function aMemory(dir: string) {
  const told: { candidates: readonly NewRecording[]; usage: RecordingUsage; problems: string[] } = {
    candidates: [],
    usage: NO_USAGE,
    problems: [],
  };
  const memory = createSessionMemory({
    dir,
    onCandidates: (candidates) => (told.candidates = candidates),
    onUsage: (usage) => (told.usage = usage),
    onProblem: (problem) => told.problems.push(problem),
  });
  return { memory, told };
}

function recorded(prompt: string, more: Partial<CallEvent> = {}): CallEvent {
  return aCall(prompt, { outcome: "recorded", mode: "record", ...more });
}

describe("the memory of a session", () => {
  it("gives the next window this one's new recordings, and the results of their tests", async () => {
    const dir = aFolder();
    const { memory, told } = aMemory(dir);
    memory.addCall(recorded("one", { at: 7, test: aTest("a", "x") }), "run");
    await memory.flush();
    memory.noteOutcomes(told.candidates.map((one) => ({ ...one, outcome: "failed" as const })));
    await memory.flush();

    const next = aMemory(dir);
    await next.memory.read();

    expect(next.told.candidates).toEqual([
      { entry: entryOf("one"), recordedAt: 7, test: aTest("a"), outcome: "failed" },
    ]);
  });

  it("shares new recordings with another window: accepted ones disappear from both", async () => {
    const dir = aFolder();
    const one = aMemory(dir);
    const other = aMemory(dir);
    one.memory.addCall(recorded("one"), "run");
    other.memory.addCall(recorded("two"), "run");
    await Promise.all([one.memory.flush(), other.memory.flush()]);

    await one.memory.accept([entryOf("two")]);
    await other.memory.read();

    expect(one.told.candidates.map(({ entry }) => entry)).toEqual([entryOf("one")]);
    expect(other.told.candidates).toEqual(one.told.candidates);
  });

  it("saves new recordings at once, because its window may be killed at any moment", async () => {
    // What waits for a timer does not come about, and this test not to its end.
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const dir = aFolder();
    const { memory, told } = aMemory(dir);

    for (const prompt of ["one", "two", "three"]) memory.addCall(recorded(prompt), "run");

    while (told.candidates.length < 3) await new Promise(setImmediate);
    expect(await listCandidates(dir)).toHaveLength(3);
    await memory.flush();
  });

  it("keeps its unwritten changes when it reads the changes of other processes", async () => {
    const dir = aFolder();
    const { memory, told } = aMemory(dir);
    memory.noteOutcomes([{ entry: entryOf("mine"), recordedAt: 7, outcome: "passed" }]);

    await memory.read();

    expect(told.candidates.map(({ entry }) => entry)).toEqual([entryOf("mine")]);
    expect(await listCandidates(dir)).toEqual([]);
  });

  it("calls nothing whole before its run ended well", async () => {
    const dir = aFolder();
    const { memory, told } = aMemory(dir);
    memory.addCall(aCall("one", { test: aTest("a") }), "first");
    await memory.flush();
    const during = told.usage.runs.length;

    memory.noteEnd("first", undefined);
    memory.addCall(aCall("one", { test: aTest("a") }), "second");
    memory.noteEnd("second", true);
    await memory.flush();

    expect(during).toBe(0);
    expect(told.usage.runs).toHaveLength(1);
    expect(listUses(told.usage, aTest("a")).map(({ entry }) => entry)).toEqual([entryOf("one")]);
  });

  it("adds its usage of recordings to the usage of other processes", async () => {
    const dir = aFolder();
    const windows = [aMemory(dir), aMemory(dir)];
    for (const [index, { memory }] of windows.entries())
      memory.addCall(aCall(`call ${index}`, { test: aTest(`t${index}`) }), "run");

    await Promise.all(windows.map(({ memory }) => memory.flush()));

    expect([...(await readUsage(dir)).usage.entries.keys()].sort()).toEqual(
      [entryOf("call 0"), entryOf("call 1")].sort(),
    );
  });

  it("creates no folder only to save usage", async () => {
    const dir = join(aFolder(), ".tapedeck");
    const { memory, told } = aMemory(dir);

    memory.addCall(aCall("one", { outcome: "miss" }), "run");
    await memory.flush();

    expect((await readUsage(dir)).usage).toEqual(NO_USAGE);
    expect(told.problems).toEqual([]);
  });

  it("reports a broken file and continues", async () => {
    const dir = aFolder();
    mkdirSync(join(dir, ".local"));
    writeFileSync(join(dir, ".local/usage.json"), "[");
    const { memory, told } = aMemory(dir);

    memory.addCall(aCall("one"), "run");
    await memory.flush();

    expect(told.problems).toEqual([expect.stringMatching(/usage\.json cannot be read/)]);
    expect((await readUsage(dir)).usage.entries.size).toBe(1);
  });

  it("that cannot be written is reported, never thrown", async () => {
    const dir = join(aFolder(), "file");
    writeFileSync(dir, "");
    const { memory, told } = aMemory(dir);

    memory.addCall(recorded("one"), "run");
    await memory.flush();

    expect(told.problems).toEqual([expect.stringMatching(/cannot be noted/)]);
  });

  it("does not accept a new recording in a folder that cannot be written: it stays new", async () => {
    const dir = aFolder();
    writeFileSync(join(dir, ".local"), "");
    const { memory, told } = aMemory(dir);
    memory.addCall(recorded("one"), "run");

    const accepting = memory.accept([entryOf("one")]);

    await expect(accepting).rejects.toThrow(`The cassette folder ${dir} cannot be used`);
    expect(told.candidates.map(({ entry }) => entry)).toEqual([entryOf("one")]);
  });

  it("returns the remaining new recordings after an action, also after a failed one", async () => {
    const dir = aFolder();
    const { memory, told } = aMemory(dir);
    memory.addCall(recorded("one"), "run");
    memory.addCall(recorded("two"), "run");

    const failing = memory.change(async () => {
      await acceptCandidates(dir, [entryOf("one")]);
      throw new Error("half done");
    });

    await expect(failing).rejects.toThrow("half done");
    expect(told.candidates.map(({ entry }) => entry)).toEqual([entryOf("two")]);
  });
});
