// What an overview takes in a folder of many recordings and a machine of many runs: the first time, and from notes.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { openDeck } from "../dist/index.js";
import { asProgram } from "../scripts/bundling.mjs";
import { median } from "./median.mjs";

const outfile = join(tmpdir(), `tapedeck-bench-overview-${process.pid}.mjs`);
await build({ ...asProgram, entryPoints: ["src/editor/panels/overview-reader.ts"], outfile });
const { readOverviewData } = await import(pathToFileURL(outfile).href);
rmSync(outfile);
const DAY_MS = 86_400_000;
const [DAYS, RUNS, TESTS] = [30, 34, 1_000];

/** A row for a folder: milliseconds. */
export async function overviewRow({ name, dir, count }) {
  noteRuns(dir);
  const times = [];
  for (let round = 0; round < 6; round += 1) {
    const deck = openDeck({ dir });
    const begun = performance.now();
    const { store, providers } = deck;
    const sources = { dir, store, providers, roots: [], prices: {}, days: DAYS, now: Date.now() };
    const { overview, recordings } = await readOverviewData(sources);
    times.push(performance.now() - begun);
    if (recordings.again.recordings !== count || overview.runs !== DAYS * RUNS)
      throw new Error("the overview is not whole");
    await deck.close();
  }
  const [first, ...later] = times;
  return [
    `overview of ${name} and ${(DAYS * RUNS).toLocaleString("en")} runs, ms (first / median from notes)`,
    `${first.toFixed(0)} / ${median(later).toFixed(0)}`,
    count > 10_000 ? "from notes: under 1000" : undefined,
  ];
}

/** Days of many runs and tests, as `storage/overview` writes them. */
function noteRuns(dir) {
  mkdirSync(join(dir, ".local"), { recursive: true });
  for (let ago = 0; ago < DAYS; ago += 1) {
    const at = Date.now() - ago * DAY_MS;
    const date = new Date(at);
    const two = (number) => String(number).padStart(2, "0");
    const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
    const value = {
      version: 1,
      runs: RUNS,
      all: SUMS,
      latest: Array.from({ length: RUNS }, (_, run) => ({
        id: `${at}-${run}`,
        at,
        ms: 900,
        mode: "strict",
        all: SUMS,
      })),
      models: ["gpt-4o-mini", "gpt-4o", "gpt-4.1", "o3"].map((model) => ["openai", model, SUMS]),
      tests: Array.from({ length: TESTS }, (_, test) => [
        `tests/${test % 50}.test.ts`,
        ["suite", `case ${test}`],
        SUMS,
      ]),
    };
    writeFileSync(join(dir, ".local", `day-${day}.json`), JSON.stringify(value));
  }
}

const SUMS = [
  196, 4, 0, 0, 0, 0, 4, 4_800, 320, 0.01, 0, 0, 3_600, 196, 235_200, 15_680, 0.2, 0, 0, 196, 176_400, 392,
];
