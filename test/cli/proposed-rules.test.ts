import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { anUpstream } from "./an-upstream.ts";
import { ask, ASKING, statusesIn } from "./asking.ts";
import { recordedOn } from "./recordings.ts";
import { aProject, tapedeck } from "./tapedeck.ts";

it("the report of a run says how many of its misses one rule is for, and that rule is enough", async () => {
  const upstream = await anUpstream();
  const cwd = aProject(ASKING);
  const questions = (day: string, name: string) => [
    `Today is ${day}. Where is my parcel?`,
    `Today is ${day}. What does a stamp cost abroad?`,
    `Dear ${name}, who are you?`,
  ];
  await tapedeck(
    ["run", "--mode", "record", ...upstream.options, ...ask(...questions("Friday, January 2, 2026", "Ann"))],
    { cwd },
  );
  recordedOn(cwd, new Date("2026-01-02T10:00:00Z"));
  const today = new Date().toLocaleDateString("en-US", { dateStyle: "full" });
  const again = ask(...questions(today, "Bob"));

  const { stderr, stdout } = await tapedeck(["run", "--json", ...again], { cwd });

  const report = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "") as {
    readonly rules: readonly { readonly rule: { readonly replace?: string }; readonly misses: number }[];
  };
  expect(stderr).toContain('2 of 3 misses: {"replace": "$date"');
  expect(report.rules[0]).toMatchObject({ rule: { replace: "$date" }, misses: 2 });

  writeFileSync(join(cwd, "tapedeck.jsonc"), JSON.stringify({ normalise: [report.rules[0]?.rule] }));
  const fixed = await tapedeck(["check", "--fix"], { cwd });
  const ruled = await tapedeck(["run", ...again], { cwd });
  expect(fixed.stderr).toContain("renamed ");
  expect(statusesIn(ruled.stdout)).toEqual(["200", "200", "404"]);
});

it("a run that proposes the fewest rules for all says each once, and not how they are had", async () => {
  const upstream = await anUpstream();
  const cwd = aProject(ASKING);
  const questions = (day: string, id: string) => [`Today is ${day}. Greet me.`, `Request ${id}: greet me.`];
  const first = questions("Friday, January 2, 2026", "6f1c1c0e-0b7e-4b3a-9c83-0c8d2f1f6a11");
  await tapedeck(["run", "--mode", "record", ...upstream.options, ...ask(...first)], { cwd });
  recordedOn(cwd, new Date("2026-01-02T10:00:00Z"));
  const today = new Date().toLocaleDateString("en-US", { dateStyle: "full" });
  const again = ask(...questions(today, "2c9a7d34-5f0e-4f1e-8a7b-7d1f6f0c9b22"));

  const plain = await tapedeck(["run", ...again], { cwd });
  const proposing = await tapedeck(["run", "--propose-rules", ...again], { cwd });

  const dates = ({ stderr }: { readonly stderr: string }) => stderr.split('{"replace": "$date"').length - 1;
  expect(plain.stderr).toContain("--propose-rules");
  expect(proposing.stderr).not.toContain("--propose-rules");
  expect(dates(proposing)).toBe(dates(plain));
});
