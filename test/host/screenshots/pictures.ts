import { join } from "node:path";
import { expect } from "vitest";
import { keepRun, listRuns, newRunId, readRun } from "../../../src/storage/runs/kept-runs.ts";
import { unfold } from "../e2e/unfold.ts";
import { frameWith } from "../support/frames.ts";
import { press } from "../support/press.ts";
import type { Workbench } from "../support/open-workbench.ts";

/** One picture of the README or the walkthrough: what to do in a fresh workbench until it shows what the name says. */
export interface Picture {
  readonly name: string;
  /** Below `media`. */
  readonly folder: "screenshots" | "walkthrough";
  readonly show: (bench: Workbench) => Promise<void>;
}

/**
 * A prompt that names no machine and no folder, and lines as the fonts of a picture have them: U+23AF is in few of them.
 */
const PLAIN_SHELL = [
  "PS1='$ '",
  "export FORCE_COLOR=1",
  String.raw`npm() { command npm "$@" 2>&1 | sed "s/\xe2\x8e\xaf/\xe2\x94\x80/g; s#$PWD#support-desk#"; }`,
  "clear",
].join("; ");

/** Runs the sample's tests in strict mode, so that what is missing stands in the view. */
async function runTests(bench: Workbench): Promise<void> {
  await bench.openView();
  await bench.runInTerminal(PLAIN_SHELL);
  await bench.finishInTerminal("npm test");
  await expect.poll(() => bench.treeRows()).toContainEqual(expect.stringContaining("Missing"));
}

const TURNS = "looks the order up";

async function showTurns(bench: Workbench): Promise<void> {
  await bench.openView();
  await expect.poll(() => bench.treeRows()).toContainEqual(expect.stringContaining("tests/replies.test.ts"));
  await unfold(bench, "tests/replies.test.ts", TURNS);
  await unfold(bench, TURNS, "look_up_order");
}

const DAY_MS = 86_400_000;
/** How often the tests ran on each of the days before, the last one first. */
const RAN_BEFORE = [3, 5, 0, 0, 2, 4, 4, 1, 3, 0, 0, 5, 2, 3, 1, 4, 0, 0, 2, 3, 2];

/** Counts the last run of the tests once more on days before. */
async function ranBefore(bench: Workbench): Promise<void> {
  const dir = join(bench.folder, ".tapedeck");
  await expect.poll(() => listRuns(dir)).toHaveLength(1);
  const [{ id } = { id: "" }] = await listRuns(dir);
  const run = await readRun(dir, id);
  if (run === undefined) throw new Error("the run is not remembered");
  for (const [day, times] of RAN_BEFORE.entries())
    for (let time = 0; time < times; time += 1) {
      const startedAt = run.startedAt - (day + 1) * DAY_MS;
      await keepRun(dir, { ...run, id: newRunId(startedAt), startedAt });
    }
}

/** From rows and items, whose hovers would cover the picture. */
async function away(bench: Workbench): Promise<void> {
  await bench.page.mouse.move(700, 300);
  await bench.page.locator(".workbench-hover-container").waitFor({ state: "detached" });
}

export const pictures: readonly Picture[] = [
  {
    name: "calls",
    folder: "screenshots",
    show: async (bench) => {
      await runTests(bench);
      await bench.openFile("tests/classify.test.ts");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("missing"));
      await expect.poll(() => bench.squiggles()).not.toBe(0);
    },
  },
  {
    name: "missing",
    folder: "screenshots",
    show: async (bench) => {
      await runTests(bench);
      await bench.page.keyboard.press("Control+j"); // without the terminal there is room for the page
      await bench.clickRow("Charged twice. My card was char");
      await bench.page.mouse.move(900, 600); // away from rows, whose hover would cover the page
      await expect.poll(() => bench.editorText()).toContain("Missing:");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("Record"));
      await bench.page.locator(".workbench-hover-container").waitFor({ state: "detached" });
    },
  },
  {
    name: "recording",
    folder: "screenshots",
    show: async (bench) => {
      await bench.openView();
      await expect.poll(() => bench.treeRows()).not.toEqual([]);
      await bench.runCommand("Tapedeck: Open Recording…");
      // What is typed before the list is there goes to the palette.
      await expect.poll(() => bench.quickPick()).toContainEqual(expect.stringContaining("patience"));
      await press(bench.page.locator(".quick-input-list .monaco-list-row", { hasText: "patience" }).first());
      await expect.poll(() => bench.editorText()).toContain("── user");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("Open file"));
    },
  },
  {
    name: "conversation",
    folder: "screenshots",
    show: async (bench) => {
      await showTurns(bench);
      await bench.pressRowButton(TURNS, "Show Test as Conversation");
      await expect.poll(() => bench.editorText()).toContain("2 assistant");
      await expect.poll(() => bench.lenses()).toContain("Replay");
      await expect.poll(() => bench.editorText()).not.toContain("tools look_up_order"); // it is folded
      await away(bench);
    },
  },
  {
    name: "on",
    folder: "walkthrough",
    show: async (bench) => {
      await bench.openView();
      await bench.openFile("tests/replies.test.ts");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("recorded"));
      await bench.page.locator(".statusbar-item", { hasText: "Analyzing" }).waitFor({ state: "detached" });
      await bench.page.locator(".statusbar-item", { hasText: "Strict" }).hover();
      await bench.page.locator(".workbench-hover-container", { hasText: "recorded" }).waitFor();
    },
  },
  {
    name: "record",
    folder: "walkthrough",
    show: async (bench) => {
      await bench.openView();
      await bench.openFile("tests/classify.test.ts");
      await bench.runCommand("Tapedeck: Toggle Strict and Record");
      await expect.poll(() => bench.statusBar()).toContain("Record");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("Record"));
      await away(bench);
    },
  },
  {
    name: "replay",
    folder: "walkthrough",
    show: async (bench) => {
      await bench.openView();
      await bench.openFile("tests/replies.test.ts", 20);
      await bench.runInTerminal(PLAIN_SHELL);
      // What is typed while the terminal is cleared is lost.
      await expect.poll(() => bench.terminalText()).toMatch(/^\s*\$\s*$/u);
      await bench.finishInTerminal("npm test -- tests/replies.test.ts");
      await away(bench);
    },
  },
  {
    name: "repair",
    folder: "walkthrough",
    show: async (bench) => {
      await runTests(bench);
      await bench.page.keyboard.press("Control+j");
      await showTurns(bench);
      await bench.openFile("tests/classify.test.ts");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("missing"));
      await away(bench);
    },
  },
  {
    name: "overview",
    folder: "screenshots",
    show: async (bench) => {
      await runTests(bench);
      await bench.page.keyboard.press("Control+j");
      await bench.page.keyboard.press("Control+b"); // all of its columns have room
      await ranBefore(bench);
      await bench.runCommand("Tapedeck: Show Overview");
      await expect.poll(() => bench.editorText()).toContain("45 runs");
    },
  },
  {
    name: "timeline",
    folder: "screenshots",
    show: async (bench) => {
      await runTests(bench);
      await bench.page.keyboard.press("Control+j");
      await bench.runCommand("Tapedeck: Show Timeline");
      const page = await frameWith(bench.page, "tr.call");
      await page.getByRole("button", { name: "As recorded" }).click();
      await page.locator("tr.call .picture").nth(1).hover();
    },
  },
];
