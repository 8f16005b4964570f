import { expect } from "vitest";
import type { Workbench } from "../support/open-workbench.ts";

/** One picture of the README: what to do in a fresh workbench until it shows what the name says. */
export interface Picture {
  readonly name: string;
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
  await bench.runInTerminal("npm test");
  await expect
    .poll(() => bench.treeRows(), { timeout: 60_000 })
    .toContainEqual(expect.stringContaining("Missing"));
  await expect.poll(() => bench.terminalText(), { timeout: 60_000 }).toContain("Duration");
}

export const pictures: readonly Picture[] = [
  {
    name: "calls",
    show: async (bench) => {
      await runTests(bench);
      await bench.openFile("tests/classify.test.ts");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("missing"));
      await expect.poll(() => bench.squiggles()).not.toBe(0);
    },
  },
  {
    name: "missing",
    show: async (bench) => {
      await runTests(bench);
      await bench.page.keyboard.press("Control+j"); // without the terminal there is room for the page
      await bench.clickRow("Cannot log in");
      await expect.poll(() => bench.editorText()).toContain("Missing:");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("Record"));
    },
  },
  {
    name: "recording",
    show: async (bench) => {
      await bench.openView();
      await expect.poll(() => bench.treeRows()).not.toEqual([]);
      await bench.runCommand("Tapedeck: Open Recording…");
      // What is typed before the list is there goes to the palette.
      await expect.poll(() => bench.quickPick()).toContainEqual(expect.stringContaining("patience"));
      await bench.pick("patience");
      await expect.poll(() => bench.editorText()).toContain("── user");
      await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining("Open file"));
    },
  },
];
