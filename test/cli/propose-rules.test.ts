import { existsSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callsOfRun, RUNS } from "../fixtures/rerun-calls.ts";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING, statusesIn } from "./asking.ts";
import { recordedOn } from "./recordings.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

/** Creates a project that has recordings of these calls. */
async function recorded(
  calls: readonly string[],
  files: Readonly<Record<string, string>> = {},
): Promise<string> {
  const upstream = await anUpstream();
  const cwd = aProject({ ...ASKING, ...files });
  const { code } = await tapedeck(["run", "--mode", "record", ...upstream.options, ...ask(...calls)], {
    cwd,
  });
  expect(code).toBe(0);
  return cwd;
}

/** Sends the text of each of these calls for the current run, and counts runs. */
const VARY = `
import { readFileSync, writeFileSync, existsSync } from "node:fs";
const run = existsSync("runs") ? Number(readFileSync("runs", "utf8")) : 0;
writeFileSync("runs", String(run + 1));
process.argv.push(...JSON.parse(readFileSync("calls.json", "utf8")).map((said) => said[run]));
await import("./ask.mjs");
`;

type PromptsByRun = readonly [recorded: string, missed: string, again: string, later: string];

/** Prompts of four consecutive runs. No named pattern matches the parts that vary. */
const VARYING: readonly PromptsByRun[] = [
  among('Session "*" began. Suggest a step.', "calm-lynx-7", "shy-otter-41", "brave-mole-902", "odd-elk-3"),
  among("Write to * about the bill.", "Maria Novak", "Jonas Okafor", "Wei Keller", "Olu Chen"),
  ["What is 2+2?", "What is 3+5?", "What is 3+5?", "What is 3+5?"],
];

function among(text: string, ...values: readonly [string, string, string, string]): PromptsByRun {
  const said = (index: number): string => text.replace("*", values[index] ?? "");
  return [said(0), said(1), said(2), said(3)];
}

const missesIn = (stdout: string): number => statusesIn(stdout).filter((status) => status === "404").length;

describe("tapedeck run --propose-rules", () => {
  it("shows rules under which a re-run matches, and adds them with --yes: 27 of 29 calls in one step", async () => {
    // As an imported recording, which has no origins: the dates are not those of the day on which the test records.
    const cwd = await recorded(callsOfRun(0), { "tapedeck.jsonc": '{ "origins": "off" }' });
    rmSync(join(cwd, "tapedeck.jsonc"));
    recordedOn(cwd, RUNS[0]);

    const missed = await tapedeck(["run", "--propose-rules", "--yes", ...ask(...callsOfRun(1))], { cwd });
    const later = await tapedeck(["run", ...ask(...callsOfRun(2))], { cwd });

    const rules = JSON.parse(readFileSync(join(cwd, "tapedeck.jsonc"), "utf8")) as { normalize: unknown[] };
    console.log(
      `▸ 29 volatile calls: ${missesIn(missed.stdout)} missing, ${missesIn(later.stdout)} after one step`,
    );
    expect(missesIn(missed.stdout)).toBe(29);
    expect(missed.stderr).toContain(`${rules.normalize.length} rules would match 27 of 29 missing calls:`);
    expect(missed.stderr).toContain(
      `${rules.normalize.length} rules added to tapedeck.jsonc.\n27 recordings renamed.\n`,
    );
    expect(missesIn(later.stdout)).toBe(2);
  });

  it("covers a folder whose temporary folder already matches by origin", async () => {
    const text = (id: string): string => `The log is in ${tmpdir()}/${id}/log. Explain.`;
    const cwd = await recorded([text("out-1a")]);

    const missed = await tapedeck(["run", "--propose-rules", "--yes", ...ask(text("out-2b"))], { cwd });
    const later = await tapedeck(["run", ...ask(text("out-3c"))], { cwd });

    expect(missed.stderr).toContain("(temp)");
    expect(missed.stderr).toContain("1 rule would match 1 of 1 missing calls:");
    expect(later.code).toBe(0);
  });

  it("runs the command once more, proposes nothing for texts, and reports which texts change on each run", async () => {
    const upstream = await anUpstream();
    const cwd = aProject({ ...ASKING, "vary.mjs": VARY, "calls.json": JSON.stringify(VARYING) });
    const vary = ["--", process.execPath, "vary.mjs"];
    await tapedeck(["run", "--mode", "record", ...upstream.options, ...vary], { cwd });

    const missed = await tapedeck(["run", "--propose-rules", "--yes", ...vary], { cwd });

    expect(missed.stderr).toContain(
      "Running the command again, to find the fields that change on every run.\n",
    );
    expect(missed.stderr).toContain("No rule is proposed for 3 missing calls.");
    expect(missed.stderr).toContain("/messages/*/content (2 misses; it changes with each run");
    expect(missed.stderr).toContain("/messages/*/content (1 miss)");
    expect(existsSync(join(cwd, "tapedeck.jsonc"))).toBe(false);
    expect(upstream.requests).toHaveLength(VARYING.length);
  });

  it("reports calls that a rule would merge, and does not add that rule", async () => {
    const cwd = await recorded(["Where is port 41001?", "Where is port 41002?", "Hi, pid 12"]);

    const { stderr } = await tapedeck(
      ["run", "--propose-rules", "--yes", ...ask("Where is port 41003?", "Hi, pid 13")],
      { cwd },
    );

    expect(stderr).toMatch(/Not proposed: with \{"replace": "\$port".*would answer the same call/);
    expect(stderr).toContain("1 rule would match 1 of 2 missing calls:");
    expect(readFileSync(join(cwd, "tapedeck.jsonc"), "utf8")).not.toContain("$port");
  });

  it("proposes no rule for other days' dates, and none for today's date if it would match another date", async () => {
    const day = (date: Date): string => date.toISOString().slice(0, 10);
    const today = (date: Date) => `Today is ${day(date)}. Where is my parcel?`;
    const cwd = await recorded([today(RUNS[0]), "What happened on 1969-07-20?"]);
    recordedOn(cwd, RUNS[0]);
    const propose = (...texts: readonly string[]) =>
      tapedeck(["run", "--propose-rules", ...ask(...texts)], { cwd });

    const both = await propose(today(RUNS[1]), "What happened on 1989-11-09?");
    const alone = await propose(today(RUNS[1]));

    expect(both.stderr).toMatch(
      /Not proposed: with \{"replace": "\$isoDate".*a call with a different request/,
    );
    expect(alone.stderr).toContain("1 rule would match 1 of 1 missing calls:");
  });

  it("adds nothing without a yes, and explains how to add them", async () => {
    const cwd = await recorded(["Hi, pid 12", "Bye, pid 14"]);

    const unasked = await tapedeck(["run", "--propose-rules", ...ask("Hi, pid 13")], { cwd });
    const refused = await tapedeck(["run", "--propose-rules", ...ask("Hi, pid 13")], { cwd, answers: ["n"] });
    const before = existsSync(join(cwd, "tapedeck.jsonc"));
    const agreed = await tapedeck(["run", "--propose-rules", ...ask("Hi, pid 13")], { cwd, answers: ["y"] });
    const after = await tapedeck(["run", "--propose-rules", ...ask("Hi, pid 13")], { cwd });

    expect(unasked.stderr).toContain("1 other recording will be renamed");
    expect(unasked.stderr).toContain("Use --yes to add them to tapedeck.jsonc.");
    expect(refused.stderr).toContain("Add them to tapedeck.jsonc? [y/N] n\nNothing was added.");
    expect(before).toBe(false);
    expect(agreed.stderr).toContain("1 rule added to tapedeck.jsonc.\n2 recordings renamed.\n");
    expect([agreed.code, after.code]).toEqual([3, 0]);
    expect(after.stderr).not.toContain("rule");
    expect(unasked.stderr).not.toContain("If the differences do not matter");
  });

  it("is distinct from --yes alone", async () => {
    const { code, stderr } = await tapedeck(["run", "--yes", ...ask("Hi")], { cwd: aProject(ASKING) });

    expect(code).toBe(2);
    expect(stderr).toContain("--propose-rules");
  });
});
