import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { callsOfRun, RUNS } from "../fixtures/rerun-calls.ts";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING, statusesIn } from "./asking.ts";
import { recordedOn } from "./recordings.ts";
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

/** Asks what each of these calls says in the run of now, and counts runs. */
const VARY = `
import { readFileSync, writeFileSync, existsSync } from "node:fs";
const run = existsSync("runs") ? Number(readFileSync("runs", "utf8")) : 0;
writeFileSync("runs", String(run + 1));
process.argv.push(...JSON.parse(readFileSync("calls.json", "utf8")).map((said) => said[run]));
await import("./ask.mjs");
`;

type Said = readonly [recorded: string, missed: string, again: string, later: string];

/** What calls say in four runs, one after the other; none of it has a name among the patterns. */
const VARYING: Readonly<Record<string, Said>> = {
  title: among(
    'Session "*" began. Suggest a step.',
    "calm-lynx-7",
    "shy-otter-41",
    "brave-mole-902",
    "odd-elk-3",
  ),
  polish: among(
    "Dziś jest *. Co robić?",
    "1 maja 2024",
    "27 października 2024",
    "4 lipca 2025",
    "9 marca 2026",
  ),
  russian: among(
    "Сегодня *. Какой сезон?",
    "3 мая 2021 г.",
    "4 июля 2017 г.",
    "7 мая 2023 г.",
    "19 марта 2016 г.",
  ),
  korean: among(
    "오늘은 *입니다. 인사해 주세요.",
    "2024년 5월 2일",
    "2024년 5월 3일",
    "2025년 12월 4일",
    "2023년 1월 30일",
  ),
  chinese: among(
    "现在是*。请问候。",
    "2020年5月20日 17:06",
    "2021年1月2日 07:55",
    "2022年3月4日 21:00",
    "2019年8月8日 03:10",
  ),
  relative: among("You joined *. Greet me.", "5 minutes ago", "1 minute ago", "2 hours ago", "3 days ago"),
  numbers: among(
    "It uses * threads. Is that much?",
    "3.5 MB and 12",
    "47.25 MB and 3",
    "8 MB and 40",
    "99.9 MB and 7",
  ),
  signs: among("Vector: [*] Describe it.", "0.25, -0.5", "-0.75, -0.1", "-0.5, -0.33", "0.99, 0.11"),
  bar: among("Loaded [*]. What is it?", "####......", "#####.....", "########..", "#........."),
  stack: among(
    "at run (/home/*) Where is the bug?",
    "ann/a.js:3:14",
    "ci/b.js:70:2",
    "runner/a.js:9:9",
    "bob/c.js:1:1",
  ),
  mixed: among(
    "It is * on stage. Say hi.",
    "5 June, at 3 pm",
    "17 May, at 11 am",
    "2 July, at 1 pm",
    "30 June, at 2 am",
  ),
};

/** These may be other questions: somebody wrote another one, or it says other words each time. */
const LEFT: Readonly<Record<string, Said>> = {
  edited: ["What is 2+2?", "What is 3+5?", "What is 3+5?", "What is 3+5?"],
  names: among("Write to * about the bill.", "Maria Novak", "Jonas Okafor", "Wei Keller", "Olu Chen"),
  order: among(
    "Sort these: *.",
    "figs, limes, nuts",
    "nuts, figs, limes",
    "limes, nuts, figs",
    "nuts, limes, figs",
  ),
};

function among(text: string, ...values: readonly [string, string, string, string]): Said {
  const said = (index: number): string => text.replace("*", values[index] ?? "");
  return [said(0), said(1), said(2), said(3)];
}

const missesIn = (stdout: string): number => statusesIn(stdout).filter((status) => status === "404").length;

describe("tapedeck run --propose-rules", () => {
  it("shows the fewest rules under which a re-run matches, and adds them with --yes: 27 of 29 calls in one step", async () => {
    const cwd = await recorded(callsOfRun(0));
    recordedOn(cwd, RUNS[0]);

    const missed = await tapedeck(["run", "--propose-rules", "--yes", ...ask(...callsOfRun(1))], { cwd });
    const later = await tapedeck(["run", ...ask(...callsOfRun(2))], { cwd });

    const rules = JSON.parse(readFileSync(join(cwd, "tapedeck.jsonc"), "utf8")) as { normalise: unknown[] };
    console.log(
      `▸ 29 volatile calls: ${missesIn(missed.stdout)} missed, ${missesIn(later.stdout)} after one step`,
    );
    expect(missesIn(missed.stdout)).toBe(29);
    expect(missed.stderr).toContain(`27 of 29 missed calls match under ${rules.normalise.length} rules:`);
    expect(missed.stderr).toContain(`${rules.normalise.length} rules added to tapedeck.jsonc, and`);
    expect(missesIn(later.stdout)).toBe(2);
  });

  it("finds what no pattern has a name for by running the command once more, and leaves words alone", async () => {
    const calls = [...Object.values(VARYING), ...Object.values(LEFT)];
    const upstream = await anUpstream();
    const cwd = aProject({ ...ASKING, "vary.mjs": VARY, "calls.json": JSON.stringify(calls) });
    const vary = ["--", process.execPath, "vary.mjs"];
    await tapedeck(["run", "--mode", "record", ...upstream.options, ...vary], { cwd });

    const missed = await tapedeck(["run", "--propose-rules", "--yes", ...vary], { cwd });
    const later = await tapedeck(["run", ...vary], { cwd });

    expect(missesIn(missed.stdout)).toBe(calls.length);
    expect(missed.stderr).toContain("Running the command once more");
    expect(missed.stderr).toContain(`"replace": "Session \\"\\\\S+\\" began`);
    expect(missed.stderr).toContain("1 missed call said other words when the command ran again.");
    expect(missed.stderr).toContain("1 missed call said the same words in another order");
    const names = [...Object.keys(VARYING), ...Object.keys(LEFT)];
    const statuses = statusesIn(later.stdout);
    expect(statuses).toHaveLength(calls.length);
    expect(names.filter((_, index) => statuses[index] === "404")).toEqual(Object.keys(LEFT));
    expect(upstream.requests).toHaveLength(calls.length);
  });

  it("says what a rule would make one call of, and does not add that one", async () => {
    const cwd = await recorded(["Where is port 41001?", "Where is port 41002?", "Hi, pid 12"]);

    const { stderr } = await tapedeck(
      ["run", "--propose-rules", "--yes", ...ask("Where is port 41003?", "Hi, pid 13")],
      { cwd },
    );

    expect(stderr).toMatch(/not proposed: Under \{"replace": "\$port".*would answer the same call/);
    expect(stderr).toContain("1 of 2 missed calls match under 1 rule:");
    expect(readFileSync(join(cwd, "tapedeck.jsonc"), "utf8")).not.toContain("$port");
  });

  it("leaves a date that did not move with the calendar to a person, and holds today's by the text around it", async () => {
    const day = (date: Date): string => date.toISOString().slice(0, 10);
    const asked = (date: Date, other: string) => [
      `Today is ${day(date)}. Where is my parcel?`,
      `What happened on ${other}?`,
    ];
    const cwd = await recorded(asked(RUNS[0], "1969-07-20"));
    recordedOn(cwd, RUNS[0]);

    const { stderr } = await tapedeck(
      ["run", "--propose-rules", "--yes", ...ask(...asked(RUNS[1], "1989-11-09"))],
      { cwd },
    );
    const later = await tapedeck(["run", ...ask(...asked(RUNS[2], "1989-11-09"))], { cwd });

    expect(stderr).toContain(
      '1 missed call is about another date or time than was recorded ("1989-11-09" for "1969-07-20"). It did not move with the calendar',
    );
    expect(statusesIn(later.stdout)).toEqual(["200", "404"]);
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
    expect(agreed.stderr).toContain("1 rule added to tapedeck.jsonc, and");
    expect([agreed.code, after.code]).toEqual([3, 0]);
    expect(after.stderr).not.toContain("rule");
  });

  it("is told from --yes alone", async () => {
    const { code, stderr } = await tapedeck(["run", "--yes", ...ask("Hi")], { cwd: aProject(ASKING) });

    expect(code).toBe(2);
    expect(stderr).toContain("--propose-rules");
  });
});
