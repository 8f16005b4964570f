import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const PYTHON = "tests/test_triage.py";

/** The recording on disk that holds these words is taken away. */
function forget(bench: Workbench, words: string): void {
  const dir = join(bench.folder, ".tapedeck", "calls");
  for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
    const path = join(dir, name);
    if (name.endsWith(".json") && readFileSync(path, "utf8").includes(words)) rmSync(path);
  }
}

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
});

describe("looking around", () => {
  it("starts quietly: a status bar item that says strict, and no message", async () => {
    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);

    expect(await bench.statusBarKind()).toBe("plain");
    expect(await bench.notifications()).toEqual([]);
  });

  it("offers its commands by name", async () => {
    const offered = await bench.offeredCommands("Tapedeck: Toggle");

    expect(offered.join("\n")).toMatch(/Tapedeck: Toggle/);
  });

  it("lists the recorded calls in its view", async () => {
    await bench.openView();

    await expect.poll(() => bench.treeRows()).not.toEqual([]);
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
    expect(offered.join("\n")).toContain("nothing leaves this machine");
    expect(await bench.statusBarKind()).toBe("plain");
  });
});

describe("from red to green in Python", () => {
  beforeAll(async () => {
    await bench.runCommand("Tapedeck: Select Mode…");
    await bench.pick("Strict");
    forget(bench, "Do you sell the lamp in green?");
  });

  it("a click above the red test leads to the missing call", async () => {
    await bench.openFile(PYTHON, 16);
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 recorded");
    await bench.runInTerminal("python3 -m unittest discover tests");
    await expect.poll(() => bench.lenses()).toContain("1 missing");
    await bench.screenshot("python-red");
    await bench.clickLens("1 missing");

    await expect.poll(() => bench.editorTitle()).toContain("Missing:");
  });

  it("accepting the nearest's reply answers it, with a new recording that can be discarded", async () => {
    await expect.poll(() => bench.lenses()).toContain("Accept nearest as is");
    await bench.clickLens("Accept nearest as is");

    await expect.poll(() => bench.lenses()).toEqual(["Recorded by now: open the recording"]);
    await bench.openView();
    await expect.poll(() => bench.treeRows()).toContain("New  1");
    await bench.pressRowButton("Do you sell", "Discard");
    await expect.poll(() => bench.treeRows()).toContain("New  0");
  });

  it("one click above the test records it, and it passes", async () => {
    await bench.runInTerminal("python3 -m unittest discover tests");
    await bench.openFile(PYTHON, 16);
    await expect.poll(() => bench.lenses()).toContain("1 missing");

    await bench.page.locator(".codelens-decoration a").getByText("Record", { exact: true }).last().click();

    await expect.poll(() => bench.terminalText()).toMatch(/The test passed · 1 recorded/u);
    await expect.poll(() => bench.squiggles()).toBe(0);
    await bench.screenshot("python-green");
  });
});
