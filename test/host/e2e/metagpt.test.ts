import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { METAGPT_PROJECT } from "../../fixtures/metagpt/project.ts";
import { aLastingFolder } from "../../support/a-folder.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const CACHE = "tests/data/rsp_cache.json";
const TEST = "tests/test_plain.py";

/** A stand-in: the names and the behavior of MetaGPT's mock, without MetaGPT and its dependencies. */
function aMetagptProject(): string {
  const { path: folder } = aLastingFolder();
  for (const [file, text] of Object.entries(METAGPT_PROJECT)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  return folder;
}

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ workspace: aMetagptProject(), waits: false });
});

const ASKED = "You are a strict engineer.#SYSTEM_MSG_END#Review the snake game.";
const keys = (): readonly string[] =>
  Object.keys(JSON.parse(readFileSync(join(bench.folder, CACHE), "utf8")) as object);
const rows = () => bench.treeRows().then((lines) => lines.join("\n"));

describe("a project with MetaGPT's cache (a stand-in for MetaGPT)", () => {
  it("shows a key that its cache does not have as a missing call of its test", async () => {
    await bench.openView();
    await bench.runCommand("Tapedeck: Turn On in This Workspace");
    await expect.poll(() => bench.statusBar()).toBe("Strict");
    await bench.openFile(TEST, 22);
    await bench.runInTerminal("python3 -m unittest -q tests.test_plain");

    await expect.poll(rows).toMatch(/^Missing {2}1\n {2}"Review the snake game\." {2}MetaGPT/u);
    await expect.poll(rows).not.toContain("Failed");
    await expect.poll(() => bench.lenses()).toContain("1 missing");
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 cached");
    await expect.poll(() => bench.squiggles()).toBe(1);
    await bench.screenshots("metagpt-missing");
  });

  it("names the nearest key and what differs on its page", async () => {
    await bench.openFile(TEST, 22);
    await bench.clickLens("1 missing");
    await expect.poll(() => bench.editorText()).toContain('"kind" → "strict"');
  });

  it("records its test with the lens into MetaGPT's file alone (needs python3 -m pip install pytest)", async ({
    skip,
  }) => {
    // A login shell, as the terminals of VS Code are: it may find another Python than this process.
    const { status } = spawnSync("bash", ["-lc", "python3 -c 'import pytest'"]);
    skip(status !== 0, "pytest is not here: python3 -m pip install pytest");
    const before = JSON.stringify({ "Name the capital of Italy.": "Rome." });
    writeFileSync(join(bench.folder, CACHE), before);
    await bench.openFile("tests/test_writer.py", 12);
    await expect.poll(() => bench.lenses()).toContain("Record");
    await bench.page.locator(".codelens-decoration a").getByText("Record", { exact: true }).last().click();

    await expect.poll(() => bench.terminalText()).toMatch(/The test passed · 1 recorded/u);
    await expect.poll(keys).toEqual(["Name the capital of Italy.", ASKED]);
    expect(existsSync(join(bench.folder, ".tapedeck/calls"))).toBe(false);
  });
});
