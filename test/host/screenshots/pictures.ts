import { join } from "node:path";
import { expect } from "vitest";
import { keepRun, listRuns, createRunId, readRun } from "../../../src/storage/runs/kept-runs.ts";
import { unfold } from "../e2e/unfold.ts";
import { press } from "../support/press.ts";
import type { Workbench } from "../support/open-workbench.ts";

/** A picture of the README or the walkthrough. */
export interface Picture {
  readonly name: string;
  /** Below `media`. */
  readonly folder: "screenshots" | "walkthrough";
  /** The parts of the workbench that the picture shows; it is cropped to the rectangle around them. */
  readonly parts: readonly Part[];
  /** Height in CSS pixels for cropping, if the rest is empty. */
  readonly height?: number;
  /** Prepares a new workbench until it shows the subject. */
  readonly show: (bench: Workbench) => Promise<void>;
}

export type Part = "activitybar" | "sidebar" | "editor" | "panel" | "statusbar";

/** Everything except the title bar, which shows nothing of Tapedeck. */
const WINDOW: readonly Part[] = ["activitybar", "statusbar"];

/** A prompt that shows neither the machine nor the temporary folder. */
const PLAIN_SHELL = [
  "PS1='$ '",
  "export FORCE_COLOR=1",
  'npm() { command npm "$@" 2>&1 | sed "s#$PWD#support-desk#"; }',
  "clear",
].join("; ");

/** Drags the edge of the side bar, so that its rows fit. */
async function widenSideBar({ page }: Workbench, pixels: number): Promise<void> {
  const box = await page.locator(".part.sidebar").boundingBox();
  if (box === null) throw new Error("there is no side bar");
  const [x, y] = [box.x + box.width, box.y + box.height - 40];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + pixels, y, { steps: 5 });
  await page.mouse.up();
}

/** Runs the sample's tests in strict mode, so that the view lists the missing calls. */
async function runTests(bench: Workbench): Promise<void> {
  await bench.openView();
  await bench.runInTerminal(PLAIN_SHELL);
  await bench.finishInTerminal("npm test");
  await expect.poll(() => bench.treeRows()).toContain("Missing  2");
}

const TURNS = "looks the order up";

async function showTurns(bench: Workbench): Promise<void> {
  await bench.openView();
  await widenSideBar(bench, 110);
  await expect.poll(() => bench.treeRows()).toContainEqual(expect.stringContaining("tests/replies.test.ts"));
  await unfold(bench, "tests/replies.test.ts", TURNS);
  await unfold(bench, TURNS, "look_up_order");
}

const DAY_MS = 86_400_000;
/** Runs of the tests on each of the previous days, yesterday first. */
const RAN_BEFORE = [3, 5, 0, 0, 2, 4, 4, 1, 3, 0, 0, 5, 2, 3, 1, 4, 0, 0, 2, 3, 2];

/** Copies the last run to the previous days. */
async function ranBefore(bench: Workbench): Promise<void> {
  const dir = join(bench.folder, ".tapedeck");
  await expect.poll(() => listRuns(dir)).toHaveLength(1);
  const [{ id } = { id: "" }] = await listRuns(dir);
  const run = await readRun(dir, id);
  if (run === undefined) throw new Error("the run is not stored");
  for (const [day, times] of RAN_BEFORE.entries())
    for (let time = 0; time < times; time += 1) {
      const startedAt = run.startedAt - (day + 1) * DAY_MS;
      await keepRun(dir, { ...run, id: createRunId(startedAt), startedAt });
    }
}

/** Moves the pointer away from rows and items, whose hovers would cover the picture. */
async function away(bench: Workbench): Promise<void> {
  const { width, height } = bench.page.viewportSize() ?? { width: 0, height: 0 };
  await bench.page.mouse.move(width / 2, height - 6); // an empty place of the status bar
  await bench.page.locator(".workbench-hover-container").waitFor({ state: "detached" });
}

export const pictures: readonly Picture[] = [
  {
    name: "calls",
    folder: "screenshots",
    parts: WINDOW,
    show: async (bench) => {
      await runTests(bench);
      await widenSideBar(bench, 150);
      await bench.openFile("tests/classify.test.ts");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("missing"));
      await expect.poll(() => bench.squiggles()).not.toBe(0);
      await away(bench);
    },
  },
  {
    name: "missing",
    folder: "screenshots",
    parts: ["sidebar", "editor"],
    height: 430,
    show: async (bench) => {
      await runTests(bench);
      await widenSideBar(bench, 150);
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
    parts: ["editor"],
    height: 300,
    show: async (bench) => {
      await bench.openView();
      await expect.poll(() => bench.treeRows()).not.toEqual([]);
      await bench.runCommand("Tapedeck: Open Recording…");
      // Text that is typed before the list opens goes to the palette.
      await expect.poll(() => bench.quickPick()).toContainEqual(expect.stringContaining("patience"));
      await press(bench.page.locator(".quick-input-list .monaco-list-row", { hasText: "patience" }).first());
      await expect.poll(() => bench.editorText()).toContain("── user");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("Open File"));
    },
  },
  {
    name: "conversation",
    folder: "screenshots",
    parts: ["sidebar", "editor"],
    height: 320,
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
    parts: WINDOW,
    show: async (bench) => {
      await bench.openView();
      await widenSideBar(bench, 60);
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
    parts: WINDOW,
    show: async (bench) => {
      await bench.openView();
      await widenSideBar(bench, 60);
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
    parts: WINDOW,
    show: async (bench) => {
      await bench.openView();
      await widenSideBar(bench, 60);
      await bench.openFile("tests/replies.test.ts", 20);
      await bench.runInTerminal(PLAIN_SHELL);
      // Text that is typed while the terminal is cleared is lost.
      await expect.poll(() => bench.terminalText()).toMatch(/^\s*\$\s*$/u);
      await bench.finishInTerminal("npm test -- tests/replies.test.ts");
      await away(bench);
    },
  },
  {
    name: "repair",
    folder: "walkthrough",
    parts: ["sidebar", "editor"],
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
    parts: ["editor"],
    show: async (bench) => {
      await runTests(bench);
      await bench.page.keyboard.press("Control+j");
      await bench.page.keyboard.press("Control+b"); // all of its columns have room
      await ranBefore(bench);
      await bench.runCommand("Tapedeck: Show Overview");
      await expect.poll(() => bench.editorText()).toContain("45 runs");
      await expect.poll(() => bench.lenses()).toContain("Reload");
    },
  },
  {
    name: "timeline",
    folder: "screenshots",
    parts: ["editor"],
    height: 560,
    show: async (bench) => {
      await runTests(bench);
      await bench.page.keyboard.press("Control+j");
      await bench.page.keyboard.press("Control+b"); // all of its columns have room
      await bench.runCommand("Tapedeck: Show Timeline");
      await expect.poll(() => bench.lenses()).toContain("As Recorded");
      await bench.clickLens("As Recorded");
      await expect.poll(() => bench.editorText()).toContain("Times as recorded");
      await expect.poll(() => bench.lenses()).toContain("This Run");
    },
  },
];
