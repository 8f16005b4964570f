import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anUpstream } from "../an-upstream.ts";
import { aProject, tapedeck, type Finished } from "../tapedeck.ts";

const ASK = `for (const [index, content] of process.argv.slice(2).entries()) {
  const test = { v: 1, runner: "vitest", file: process.cwd() + "/chat.test.ts", name: ["chat", "case " + index] };
  const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-tapedeck-test": encodeURIComponent(JSON.stringify(test)),
    },
    body: JSON.stringify({ model: "gpt-4o", messages: [{ role: "user", content }] }),
  });
  await reply.text();
}
`;

/** The cost of one answer of the stub at the list price of gpt-4o: 9 tokens in, 3 out. */
const ONE_ANSWER = (9 * 2.5 + 3 * 10) / 1_000_000;

async function aSuite() {
  const upstream = await anUpstream();
  const cwd = aProject({ "ask.mjs": ASK, "chat.test.ts": "case 0, case 1" });
  const run = (options: readonly string[], ...asked: string[]): Promise<Finished> =>
    tapedeck(["run", ...upstream.options, ...options, "--", process.execPath, "ask.mjs", ...asked], { cwd });
  const stats = async (...options: string[]): Promise<Record<string, unknown>> => {
    const { code, stdout } = await tapedeck(["report", "--json", ...options], { cwd });
    expect(code).toBe(0);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  return { cwd, run, stats };
}

describe("tapedeck report", () => {
  it("sums runs up: what was replayed, saved and spent, by model", async () => {
    const { cwd, run, stats } = await aSuite();
    await run(["--mode", "record"], "one", "two");
    await run([], "one", "two");
    await run([], "one", "two", "three");

    const found = await stats("--days", "2");
    const shown = await tapedeck(["report"], { cwd });

    const saved = {
      costUsd: expect.closeTo(4 * ONE_ANSWER) as number,
      tokens: 48,
      pricedCalls: 4,
      timedCalls: 4,
    };
    expect(found).toMatchObject({
      runs: 3,
      calls: { replayed: 4, recorded: 2, forwarded: 0, miss: 1 },
      spent: { calls: 2, inputTokens: 18, outputTokens: 6, unpricedCalls: 0 },
      saved,
      models: [{ provider: "openai", model: "gpt-4o", saved }],
    });
    expect((found["days"] as unknown[]).length).toBe(2);
    expect(shown.stdout).toContain("Last 30 days, 3 runs: 4 replayed · 2 sent · 1 missing\n");
    expect(shown.stdout).toContain("Saved money: about $0.00021. The cost of 4 of 4 replayed calls");
  });

  it("goes by your own prices", async () => {
    const { cwd, run, stats } = await aSuite();
    await run(["--mode", "record"], "one");
    await run([], "one");
    writeFileSync(join(cwd, "prices.json"), '{ "gpt-4o": { "input": 1000000, "output": 0 } }');

    expect(await stats("--prices", "prices.json")).toMatchObject({ saved: { costUsd: 9 } });
  });

  it("is computed from the runs that are still on the machine", async () => {
    const { cwd, run, stats } = await aSuite();
    await run(["--mode", "record"], "one");
    rmSync(join(cwd, ".tapedeck/.local/runs"), { recursive: true });

    expect(await stats()).toMatchObject({
      runs: 0,
      calls: { recorded: 0 },
    });
  });

  it("counts a replay without its cost if its recording can no longer be read", async () => {
    const { cwd, run, stats } = await aSuite();
    await run(["--mode", "record"], "one");
    await run([], "one");
    rmSync(join(cwd, ".tapedeck/calls"), { recursive: true });

    expect(await stats()).toMatchObject({ calls: { replayed: 1 }, saved: { pricedCalls: 0 } });
  });

  it("reports that a project has no recordings, and writes nothing", async () => {
    const cwd = aProject();

    const { code, stdout } = await tapedeck(["report"], { cwd });

    expect(code).toBe(0);
    expect(stdout).toBe("Last 30 days: no runs on this machine.\n");
    expect(readdirSync(cwd)).toEqual([]);
  });
});
