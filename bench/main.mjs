// npm run bench -- [--only WORDS] [--most N] [--long] [--rounds N]: prints figures as ratios within one run, so that
// machines compare. --only selects parts whose names contain the words, --most bounds the recordings of a folder, --long
// runs suites of 200 tests five times, which takes more than half an hour.
// On ext4, creating a file takes up to twenty times as long for some minutes after a run deleted its many files.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { checkRows } from "./check.mjs";
import { nearestRows } from "./nearest.mjs";
import { pythonRows } from "./python.mjs";
import { recordingLargeRows } from "./recording-large.mjs";
import { suiteRows } from "./suites/main.mjs";
import { measure } from "./suites/measure.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    most: { type: "string", default: "10000" },
    long: { type: "boolean", default: false },
    rounds: { type: "string" },
  },
});
const most = Number(values.most);
const dist = join(import.meta.dirname, "..", "dist");
const home = mkdtempSync(join(tmpdir(), "tapedeck-bench-"));
/** @type {(readonly (string | undefined)[])[]} */
const rows = [];

/** Each returns rows of the table: what, the figure, and its bound. */
const parts = {
  suites: () =>
    suiteRows(home, { long: values.long, ...(values.rounds && { rounds: Number(values.rounds) }) }),
  starts: startRows,
  python: pythonRows,
  nearest: () => nearestRows(home, most),
  checking: () => checkRows(home, most),
  "recording large calls": () => recordingLargeRows(home),
  bundles: bundleRows,
};

try {
  for (const [name, part] of Object.entries(parts))
    if (name.includes(values.only)) rows.push(...(await part()));
} finally {
  for (const [what = "", figure = "", bound = ""] of rows)
    console.log(`${what.padEnd(78)} ${figure.padStart(22)}   ${bound}`);
  rmSync(home, { recursive: true, force: true });
}

async function startRows() {
  const tapedeck = ["node", join(dist, "cli.js")];
  const variants = [
    { name: "node -e 0", command: ["node", "-e", "0"] },
    { name: "tapedeck --version", command: [...tapedeck, "--version"], bound: "at most 1.3" },
    { name: "tapedeck run -- true", command: [...tapedeck, "run", "--", "true"], bound: "at most 1.6" },
    { name: "tapedeck run -- node -e 0", command: [...tapedeck, "run", "--", "node", "-e", "0"] },
  ].map((variant) => ({ ...variant, cwd: home }));
  const measured = await measure(variants, 15);
  const node = measured[0]?.cpu ?? Number.NaN;
  return measured.map(({ name, cpu }, index) => [
    `${name}, CPU, times node -e 0 (ms)`,
    `${(cpu / node).toFixed(2)} (${(cpu * 1000).toFixed(0)})`,
    variants[index]?.bound,
  ]);
}

function bundleRows() {
  const programs = [
    ["a window", "extension.cjs"],
    ["a session that is used, with the window", "deck.cjs"],
    ["the command line", "cli/main.cjs"],
    ["the library", "index.js"],
  ];
  return programs.map(([what, file = ""]) => {
    const texts = loadedWith(join(dist, file)).map((path) => readFileSync(path));
    const kilobytes = (/** @type {readonly Buffer[]} */ all) =>
      (all.reduce((sum, { length }) => sum + length, 0) / 1024).toFixed(0);
    return [
      `loaded by ${what}, KB (plain / gzipped)`,
      `${kilobytes(texts)} / ${kilobytes(texts.map((text) => gzipSync(text)))}`,
      file === "extension.cjs" ? "under 300" : undefined,
    ];
  });
}

/** A file of dist/ and all that is loaded with it. @param {string} file */
function loadedWith(file) {
  const files = new Set([file]);
  for (const one of files) {
    const text = readFileSync(one, "utf8");
    // Imports behind an arrow are loaded later.
    const names = text.matchAll(/(?:(?<!=> ?|\?\?= ?)require\(|from |^import )["`](\.[^"`]+)["`]/gm);
    for (const [, name = ""] of names) files.add(join(dirname(one), name));
  }
  return [...files];
}
