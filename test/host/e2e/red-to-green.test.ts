import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aLastingFolder } from "../../support/a-folder.ts";
import { casesOf } from "../../support/cases.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { packExtension } from "../support/pack-extension.ts";
import { filesBelow } from "../../support/files-below.ts";

const FILE = "tests/classify.test.ts";
const PYTHON = "tests/test_triage.py";
const ASKED = "Cannot log in";

/** The recordings on disk that hold these words. */
function recordingsOf(bench: Workbench, words: string): readonly string[] {
  const dir = join(bench.folder, ".tapedeck", "calls");
  return filesBelow(dir)
    .filter((name) => name.endsWith(".json"))
    .filter((name) => readFileSync(join(dir, name), "utf8").includes(words));
}

const missingRow = /Cannot log in.*gpt-4o-mini/u;

const packed = aLastingFolder();
afterAll(packed.remove);

/** The package is installed as a user installs it, so this story shows that it works. */
let bench: Workbench;
beforeAll(async () => {
  const vsix = join(packed.path, "tapedeck.vsix");
  packExtension(vsix);
  bench = await openWorkbench({ vsix });
  await bench.openView();
});

describe("looking around", () => {
  it("starts quietly: a status bar item for strict mode, and no message", async () => {
    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);

    expect(await bench.statusBarKind()).toBe("plain");
    expect(await bench.notifications()).toEqual([]);
  });

  it("toggles strict and record with a click on the item, and warns only in record", async () => {
    await bench.clickStatusBar();
    await expect.poll(() => bench.statusBar()).toBe("Record");
    const recording = await bench.statusBarKind();
    await bench.clickStatusBar();
    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);

    expect(recording).toBe("warning");
    expect(await bench.statusBarKind()).toBe("plain");
    expect(await bench.notifications()).toEqual([]);
  });

  it("offers all five modes, each with what it does", async () => {
    await bench.runCommand("Tapedeck: Select Mode…");

    await expect.poll(() => bench.quickPick()).toHaveLength(5);
    const offered = await bench.quickPick();
    await bench.pick("Lenient");

    await expect.poll(() => bench.statusBar()).toBe("Lenient");
    expect(offered.join("\n")).toContain("Nothing leaves this machine");
    expect(await bench.statusBarKind()).toBe("plain");
  });
});

describe("from red to green", () => {
  beforeAll(async () => {
    await bench.runCommand("Tapedeck: Select Mode…");
    await bench.pick("Strict");
  });

  it("the tests are run in a terminal, and the one without a recording fails with the way out", async () => {
    await bench.openFile(FILE, 15);
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 recorded");

    await bench.runInTerminal(`npx vitest run ${FILE}`);

    await expect.poll(() => bench.terminalText()).toMatch(/1 failed/u);
    expect(bench.upstream.requests).toBe(0);
  });

  it("its line is marked, its lens and the tree tell what is missing", async () => {
    await expect.poll(() => bench.squiggles()).toBe(1);
    await expect.poll(() => bench.lenses()).toContain("1 missing");
    await expect.poll(async () => (await bench.treeRows()).join("\n")).toMatch(missingRow);
    await bench.screenshots("red");

    await expect.poll(() => bench.badge()).toBe("1");
    expect(await bench.statusBar()).toBe("Strict 1");
    const problems = await bench.problems();
    expect(problems.join("\n")).toMatch(
      /No recording for this gpt-4o-mini call \("Cannot log in"\)\. tapedeck miss \[Ln 15, Col 5\] No similar call is recorded\. To record it, choose "Record" above the test\./u,
    );
    await bench.screenshots("red-problems");
  });

  it("one click leads to the missing call: what was asked, and that nothing like it is recorded", async () => {
    await bench.openFile(FILE, 15);
    await expect.poll(() => bench.lenses()).toContain("1 missing");
    await bench.clickLens("1 missing");

    await expect.poll(() => bench.editorTitle()).toContain(ASKED);
    await expect.poll(() => bench.lenses()).toContain("Record this call");
    await bench.screenshots("missing");
    const page = await bench.editorText();
    expect(page).toMatch(/^Missing: gpt-4o-mini/u);
    expect(page).toContain(`${FILE}:15`);
    expect(page).toContain("The password reset mail never comes.");
    expect(page).toContain("No similar call is recorded.");
    expect(await bench.lenses()).toEqual(["Record this call", "More…"]);
    await bench.clickLens("More…");
    await expect
      .poll(() =>
        bench.quickPick().then((rows) => rows.map((row) => row.replace(/ {0,}(Run|Create|Open) .*/u, ""))),
      )
      .toEqual(["Record the test", "Write the reply", "Go to test"]);
    await bench.screenshots("missing-more");
    await bench.page.keyboard.press("Escape");
  });

  it("one click on its page records it: the test passes, and the workspace stays strict", async () => {
    await bench.clickLens("Record this call");

    await expect.poll(() => bench.terminalText()).toMatch(/The test passed · 1 recorded/u);
    await expect.poll(() => bench.lenses()).toEqual(["Open New Recording"]);
    await bench.screenshots("recorded");
    await expect
      .poll(() => bench.editorText())
      .toMatch(/^Recorded: gpt-4o-mini.*\nCalled in .*\nIt is recorded now/u);
    expect(bench.upstream.requests).toBe(1);
    expect(await bench.statusBar()).toMatch(/^Strict/u);
    expect(await bench.statusBarKind()).toBe("plain");
  });

  it("the new recording is in the folder and in the tree; the problem is gone", async () => {
    expect(recordingsOf(bench, ASKED)).toHaveLength(1);
    await expect.poll(async () => (await bench.treeRows()).join("\n")).toMatch(/New {2}1\n.*Cannot log in/u);
    await expect.poll(() => bench.badge()).toBe("");
    await bench.openFile(FILE, 15);
    await expect.poll(() => bench.squiggles()).toBe(0);
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 new");
    await expect.poll(async () => (await bench.problems()).join("\n")).not.toContain("tapedeck miss");
  });

  it("the strict run passes, with nothing leaving the machine", async () => {
    await bench.openFile(FILE, 15);
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 new");
    await bench.clickLens("1 new");

    await expect.poll(() => bench.terminalText()).toMatch(/The test passed · 1 replayed/u);
    await bench.screenshots("green");
    expect(bench.upstream.requests).toBe(1);
    expect(await bench.notifications()).toEqual([]);
  });
});

// The same story in another language: a long run has it.
casesOf({ quick: () => {}, long: inPython })();

function inPython(): void {
  it("a click above the red test leads to the missing call", async () => {
    await bench.runCommand("Tapedeck: Accept New Recordings");
    await bench.runCommand("Terminal: Create New Terminal");
    const file = join(bench.folder, PYTHON);
    writeFileSync(file, readFileSync(file, "utf8").replace("lamp in green?", "lamp in blue?"));
    await bench.openFile(PYTHON, 16);
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 recorded");
    await bench.runInTerminal("python3 -m unittest discover tests");
    await expect.poll(() => bench.lenses()).toContain("1 missing");
    await bench.screenshot("python-red");
    await bench.clickLens("1 missing");

    await expect.poll(() => bench.editorTitle()).toBe("Do you sell the lamp in blue?");
  });

  it("accepting the nearest's reply answers it, with a new recording that can be discarded", async () => {
    await expect.poll(() => bench.editorText()).toContain("Do you sell the lamp in [-green-]{+blue+}?");
    await bench.screenshots("missing-near");
    await bench.clickLens("More…");
    await bench.pick("Accept nearest as is");

    await expect.poll(() => bench.lenses()).toEqual(["Open New Recording"]);
    await bench.openView();
    await expect.poll(() => bench.treeRows()).toContain("New  1");
    await bench.pressRowButton("Do you sell", "Discard New Recordings…");
    await expect.poll(() => bench.treeRows()).toContain("New  0");
  });

  it("one click above the test records it, and it passes", async () => {
    await bench.runInTerminal("python3 -m unittest discover tests");
    await bench.openFile(PYTHON, 16);
    await expect.poll(() => bench.lenses()).toContain("1 missing");

    await bench.page.locator(".codelens-decoration a").getByText("Record", { exact: true }).last().click();

    await expect.poll(() => bench.terminalText()).toMatch(/test_triage[^]*The test passed · 1 recorded/u);
    await expect.poll(() => bench.squiggles()).toBe(0);
    await bench.screenshot("python-green");
  });
}
