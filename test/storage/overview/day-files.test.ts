import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { expect, it } from "vitest";
import { asProgram } from "../../../scripts/bundling.mjs";
import { sumsOfRun } from "../../../src/core/overview/run-sums.ts";
import { callsIn } from "../../../src/core/overview/sums.ts";
import {
  addRunToDay,
  DAYS_KEPT,
  dayOf,
  lastDays,
  readDays,
} from "../../../src/storage/overview/day-files.ts";
import { aCall } from "../../core/overview/a-run.ts";
import { aFolder } from "../../support/a-folder.ts";
import { aRun } from "../../support/a-run.ts";
import { madeUpSecrets } from "../../support/made-up-secrets.ts";

const noon = new Date(2026, 10, 23, 12).getTime();
const DAY_MS = 86_400_000;

function aRunAt(at: number, name = "answers") {
  const test = { file: "chat.test.ts", name: [name] };
  return sumsOfRun(aRun([aCall({ test })], { startedAt: at }));
}

it("a run is of the day of this machine's calendar in which it began", async () => {
  const dir = aFolder();
  await addRunToDay(dir, aRunAt(noon - DAY_MS));
  await addRunToDay(dir, aRunAt(noon));
  await addRunToDay(dir, aRunAt(noon + 1));

  const days = await readDays(dir, lastDays(3, noon));

  expect(lastDays(3, noon)).toEqual(["2026-11-21", "2026-11-22", "2026-11-23"]);
  expect(days.map(({ day, sums }) => [day, sums.runs])).toEqual([
    ["2026-11-22", 1],
    ["2026-11-23", 2],
  ]);
});

it("days that are too long ago go", async () => {
  const dir = aFolder();
  await addRunToDay(dir, aRunAt(noon - DAYS_KEPT * DAY_MS));
  await addRunToDay(dir, aRunAt(noon - (DAYS_KEPT - 1) * DAY_MS));

  await addRunToDay(dir, aRunAt(noon));

  const kept = readdirSync(join(dir, ".local")).filter((name) => name.startsWith("day-"));
  expect(kept).toEqual([`day-${dayOf(noon - (DAYS_KEPT - 1) * DAY_MS)}.json`, "day-2026-11-23.json"]);
});

it("nothing is made for a run without a call, nor where there is no cassette folder", async () => {
  const dir = aFolder();
  await addRunToDay(dir, sumsOfRun(aRun([])));
  await addRunToDay(join(dir, "absent"), aRunAt(noon));

  expect(readdirSync(dir)).toEqual([]);
});

it("a file that cannot be read is kept beside, and its day begins anew", async () => {
  const dir = aFolder();
  mkdirSync(join(dir, ".local"));
  writeFileSync(join(dir, ".local/day-2026-11-23.json"), "{");

  await addRunToDay(dir, aRunAt(noon));

  expect((await readDays(dir, ["2026-11-23"]))[0]?.sums.runs).toBe(1);
  expect(readFileSync(join(dir, ".local/day-2026-11-23.broken.json"), "utf8")).toBe("{");
});

it("a test's title that says a secret is written without it", async () => {
  const dir = aFolder();
  const secret = madeUpSecrets()["OpenAI key"] ?? "";
  await addRunToDay(dir, aRunAt(noon, `answers with ${secret}`));

  const written = readFileSync(join(dir, ".local/day-2026-11-23.json"), "utf8");

  expect(written).not.toContain(secret);
  expect(written).toContain("[redacted:");
});

it("of many processes that end at once, none loses what another counted", async () => {
  const dir = aFolder();
  const program = join(dir, "counter.mjs");
  await build({
    ...asProgram,
    stdin: {
      contents: `import { addRunToDay } from "./src/storage/overview/day-files.ts";
        const run = JSON.parse(process.argv[3]);
        for (let n = 0; n < 5; n += 1) await addRunToDay(process.argv[2], run);`,
      resolveDir: process.cwd(),
    },
    outfile: program,
  });
  const told = JSON.stringify(aRunAt(noon));

  await Promise.all(
    Array.from({ length: 3 }, () => promisify(execFile)(process.execPath, [program, dir, told])),
  );

  const [day] = await readDays(dir, ["2026-11-23"]);
  expect([day?.sums.runs, day && callsIn(day.sums.all)]).toEqual([15, 15]);
});
