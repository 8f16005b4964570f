import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { aRecordedProject, say } from "./recordings.ts";
import { serving, tapedeck } from "./tapedeck.ts";

const RULES = '{ "normalise": [{ "replace": "$isoDate" }] }';
const ROUNDS = 4;

const SAID = Array.from({ length: 12 }, (_, day) => ({ text: `It is 2026-01-02, said ${day}.` }));

/** Puts the file there whole, as editors and git do. */
function putRules(cwd: string, text: string): void {
  writeFileSync(join(cwd, "other.jsonc"), text);
  renameSync(join(cwd, "other.jsonc"), join(cwd, "tapedeck.jsonc"));
}

it("a recording that check --fix is renaming answers under its old or its new name, whatever the rules", async () => {
  const { cwd } = await aRecordedProject(SAID);
  const served = await serving(["--mode", "strict"], { cwd });
  const over = { is: false };
  const missed: string[] = [];
  let calls = 0;
  const asking = [0, 1].map(async (turn) => {
    for (let at = turn * 6; !over.is; at += 1, calls += 1) {
      const said = SAID[at % SAID.length]!;
      if (!(await say(served.ready.url, cwd, said)).startsWith("calls/")) missed.push(said.text);
    }
  });

  for (let round = 0; round < ROUNDS; round += 1) {
    putRules(cwd, round % 2 === 0 ? RULES : "{}");
    await Promise.all([
      tapedeck(["check", "--fix"], { cwd }),
      ...(round > 1 ? [tapedeck(["check", "--fix"], { cwd })] : []),
    ]);
  }
  over.is = true;
  await Promise.all(asking);

  expect(calls).toBeGreaterThan(ROUNDS);
  expect(missed).toEqual([]);
});
