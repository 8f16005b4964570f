import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callsOfRun } from "../fixtures/rerun-calls.ts";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING, statusesIn } from "./asking.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** A project in which these calls are recorded. */
async function recorded(calls: readonly string[]): Promise<string> {
  const upstream = await anUpstream();
  const cwd = aProject(ASKING);
  const { code } = await tapedeck(["run", "--mode", "record", ...upstream.options, ...ask(...calls)], {
    cwd,
  });
  expect(code).toBe(0);
  return cwd;
}

const missesIn = (stdout: string): number => statusesIn(stdout).filter((status) => status === "404").length;

describe("tapedeck run --propose-rules", () => {
  it("shows the fewest rules under which a re-run matches, and adds them with --yes: 27 of 29 calls in one step", async () => {
    const cwd = await recorded(callsOfRun(0));

    const missed = await tapedeck(["run", "--propose-rules", "--yes", ...ask(...callsOfRun(1))], { cwd });
    const later = await tapedeck(["run", ...ask(...callsOfRun(2))], { cwd });

    const rules = JSON.parse(readFileSync(join(cwd, "tapedeck.jsonc"), "utf8")) as { normalise: unknown[] };
    console.log(
      `▸ 29 volatile calls: ${missesIn(missed.stdout)} missed, ${missesIn(later.stdout)} after one step`,
    );
    expect(missesIn(missed.stdout)).toBe(29);
    expect(missed.stderr).toContain(`27 of 29 missed calls match under ${rules.normalise.length} rules:`);
    expect(missed.stderr).toContain(`${rules.normalise.length} rules added to tapedeck.jsonc.`);
    expect(missesIn(later.stdout)).toBe(2);
  });

  it("says what a rule would make one call of, and does not add that one", async () => {
    const cwd = await recorded(["Where is order 2026-01-02?", "Where is order 2026-01-03?", "Hi, pid 12"]);

    const { stderr } = await tapedeck(
      ["run", "--propose-rules", "--yes", ...ask("Where is order 2026-01-04?", "Hi, pid 13")],
      { cwd },
    );

    expect(stderr).toMatch(/not proposed: Under \{"replace": "\$isoDate".*would answer the same call/);
    expect(stderr).toContain("1 of 2 missed calls match under 1 rule:");
    expect(readFileSync(join(cwd, "tapedeck.jsonc"), "utf8")).not.toContain("isoDate");
  });

  it("adds nothing where nobody says yes, and says how", async () => {
    const cwd = await recorded(["Hi, pid 12", "Bye, pid 14"]);

    const unasked = await tapedeck(["run", "--propose-rules", ...ask("Hi, pid 13")], { cwd });
    const refused = await tapedeck(["run", "--propose-rules", ...ask("Hi, pid 13")], { cwd, answers: ["n"] });
    const before = existsSync(join(cwd, "tapedeck.jsonc"));
    const agreed = await tapedeck(["run", "--propose-rules", ...ask("Hi, pid 13")], { cwd, answers: ["y"] });
    const after = await tapedeck(["run", "--propose-rules", ...ask("Hi, pid 13")], { cwd });

    expect(unasked.stderr).toContain("touches 1 other recording, each still apart");
    expect(unasked.stderr).toContain("--yes adds them to tapedeck.jsonc.");
    expect(refused.stderr).toContain("Add them to tapedeck.jsonc? [y/N] n\nNothing was added.");
    expect(before).toBe(false);
    expect(agreed.stderr).toContain("1 rule added to tapedeck.jsonc.");
    expect([agreed.code, after.code]).toEqual([3, 0]);
    expect(after.stderr).not.toContain("rule");
  });

  it("is told from --yes alone", async () => {
    const { code, stderr } = await tapedeck(["run", "--yes", ...ask("Hi")], { cwd: aProject(ASKING) });

    expect(code).toBe(2);
    expect(stderr).toContain("--propose-rules");
  });
});
