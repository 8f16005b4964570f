import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keepRun, listRuns, createRunId, readRun } from "../../../src/storage/runs/kept-runs.ts";
import { noteTimings, readTimings } from "../../../src/storage/runs/timings.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aLongRun, aRun, aRunCall } from "../../support/a-run.ts";

const runsIn = (dir: string): readonly string[] => readdirSync(join(dir, ".local", "runs")).sort();
const numbered = (at: number) => aRun([aRunCall("Hi")], { id: createRunId(at), startedAt: at });

describe("runs that a machine remembers", () => {
  it("are as many as is allowed, and as long: the oldest go first, and of a long one the end", async () => {
    const dir = aFolder();
    for (const at of [1_000, 2_000, 3_000]) await keepRun(dir, numbered(at), { runs: 2 });
    expect((await listRuns(dir)).map(({ startedAt }) => startedAt)).toEqual([3_000, 2_000]);

    await keepRun(dir, { ...aLongRun(50), id: createRunId(4_000) }, { calls: 20, bytes: 100 });
    const [only, ...others] = await listRuns(dir);
    expect(others).toEqual([]);
    expect(only?.left).toBe(30);
    expect((await readRun(dir, only?.id ?? ""))?.calls).toHaveLength(20);
  });

  it("are not written when there is no cassette folder, and not without a call", async () => {
    const dir = join(aFolder(), ".tapedeck");
    await keepRun(dir, numbered(1_000));
    expect(existsSync(dir)).toBe(false);

    mkdirSync(dir);
    await keepRun(dir, aRun([]));
    expect(readdirSync(dir)).toEqual([]);
  });

  it("contain no secret in any place", async () => {
    const dir = aFolder();
    const secret = `sk-proj-${"aB3dE5fG7h".repeat(5)}`;
    const call = aRunCall(`Use ${secret}`, {
      model: `m-${secret}`,
      note: `the note has ${secret}`,
      test: { file: `${secret}.test.ts`, name: [`with ${secret}`] },
    });
    const run = aRun([call], { title: `curl ${secret}` });
    await keepRun(dir, run);

    const [name = ""] = runsIn(dir);
    const text = readFileSync(join(dir, ".local", "runs", name), "utf8");
    expect(text).not.toContain("aB3dE5fG7h");
    expect((await readRun(dir, run.id))?.calls[0]?.label).toMatch(/^Use \[redacted: /);
  });

  it("contain no secret that is only in the name of a model or a file", async () => {
    const secret = `sk-proj-${"aB3dE5fG7h".repeat(5)}`;
    const test = { name: ["asks"], file: `${secret}.test.ts` };
    for (const only of [{ model: secret }, { test }]) {
      const dir = aFolder();
      await keepRun(dir, aRun([aRunCall("Use", only)]));

      const [name = ""] = runsIn(dir);
      expect(readFileSync(join(dir, ".local", "runs", name), "utf8")).not.toContain("aB3dE5fG7h");
    }
  });

  it("are not read through a link, from a damaged file, or under a name that leads elsewhere", async () => {
    const dir = aFolder();
    await keepRun(dir, numbered(1_000));
    const [name = ""] = runsIn(dir);
    const folder = join(dir, ".local", "runs");
    symlinkSync(join(folder, name), join(folder, "0000000002000-00000000.jsonl"));
    writeFileSync(join(folder, "0000000003000-00000000.jsonl"), "{");

    expect(await listRuns(dir)).toHaveLength(1);
    expect(await readRun(dir, "../candidates")).toBeUndefined();
  });
});

describe("how long recordings took", () => {
  it("is noted when they are made, and when one is made anew the last time counts", async () => {
    const dir = aFolder();
    const made = (ms: number) =>
      aRunCall("a", { outcome: "recorded", entry: "calls/a.json", ms, firstByteMs: 5 });
    await noteTimings(dir, [made(10), aRunCall("b", { entry: "calls/b.json" })]);
    await noteTimings(dir, [made(20)]);

    expect([...(await readTimings(dir))]).toEqual([["calls/a.json", { ms: 20, firstByteMs: 5 }]]);
  });
});
