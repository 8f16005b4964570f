import { describe, expect, it } from "vitest";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING, statusesIn } from "./asking.ts";
import { aProject, serving, tapedeck } from "./tapedeck.ts";

describe("what a run may spend", () => {
  it("is reported at its end, and refused beyond --max-calls with a hint how to raise it", async () => {
    const upstream = await anUpstream();
    const cwd = aProject(ASKING);
    const options = ["--mode", "record", ...upstream.options, "--max-calls", "2"];

    const { stdout, stderr } = await tapedeck(["run", ...options, ...ask("a", "b", "c")], { cwd });

    expect(statusesIn(stdout)).toEqual(["200", "200", "402"]);
    expect(stdout).toContain("the limit of 2 calls per run is reached");
    expect(stderr).toContain("Spent: 2 calls, 24 tokens, about $0.0000063.");
    expect(stderr).toMatch(/^! .*the limit of 2 calls .* --max-calls/im);
    expect(upstream.requests).toHaveLength(2);
  });

  it("is bound by tokens, and by cost at prices of the user's own", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({
      ...ASKING,
      "prices.json": '{ "gpt-4o-mini": { "input": 100000, "output": 0 } }',
    });
    const options = ["--mode", "live", ...upstream.options];

    const tokens = await tapedeck(["run", ...options, "--max-tokens", "12", ...ask("a", "b")], { cwd });
    const cost = await tapedeck(
      ["run", ...options, "--max-cost", "0.9", "--prices", "prices.json", "--json", ...ask("a", "b")],
      { cwd },
    );

    expect(tokens.stdout).toContain("the limit of 12 tokens per run is reached");
    expect(cost.stderr).toContain("the limit of $0.90 per run is reached");
    expect(JSON.parse(cost.stdout.trimEnd().split("\n").at(-1) ?? "")).toMatchObject({
      spent: { calls: 1, costUsd: 0.9, unpricedCalls: 0 },
    });
  });

  it("is reported with each call while serving", async () => {
    const upstream = await anUpstream();
    const served = await serving(["--mode", "live", "--log", "json", ...upstream.options], {
      cwd: aProject(),
    });

    await fetch(`${served.ready.env["OPENAI_BASE_URL"]}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "a" }] }),
    });

    expect(await served.nextLine()).toMatchObject({
      event: "call",
      charge: { calls: 1, inputTokens: 9, outputTokens: 3 },
      spent: { calls: 1 },
    });
  });

  it.each([
    [["--max-calls", "many"], '--max-calls does not take "many"'],
    [["--max-calls=-1"], '--max-calls does not take "-1"'],
    [["--max-cost", "1e3"], '--max-cost does not take "1e3"'],
    [["--prices", "none.json"], "The prices none.json cannot be read"],
    [["--prices", "ask.mjs"], "Expected: an object of models"],
  ])("is wrong usage as %j", async (options, said) => {
    const { code, stderr } = await tapedeck(["run", ...options, "--", "true"], {
      cwd: aProject(ASKING),
    });

    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  it("cannot be raised by a workspace: tapedeck.jsonc has no field for it", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ ...ASKING, "tapedeck.jsonc": '{ "limits": { "calls": 100 } }' });

    const { stdout, stderr } = await tapedeck(
      ["run", "--mode", "live", ...upstream.options, "--max-calls", "1", ...ask("a", "b")],
      { cwd },
    );

    expect(stdout).toContain("402 The call to openai was not sent: the limit of 1 call per run");
    expect(stderr).toContain("limits");
  });
});

describe("in CI", () => {
  it("the mode of the command line is in force", async () => {
    const upstream = await anUpstream();
    const cwd = aProject(ASKING);

    const { stdout } = await tapedeck(["run", "--mode", "record", ...upstream.options, ...ask("a")], {
      cwd,
      env: { CI: "true" },
    });

    expect(stdout).toBe("200 \n");
  });

  it("a command without one leaves the machine alone", async () => {
    const upstream = await anUpstream();
    const cwd = aProject(ASKING);

    const { code } = await tapedeck(["run", ...upstream.options, ...ask("a")], { cwd, env: { CI: "true" } });

    expect([code, upstream.requests]).toEqual([3, []]);
  });
});
