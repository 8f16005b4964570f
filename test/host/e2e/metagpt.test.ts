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
  it("shows that Tapedeck is off, and turns it on", async () => {
    await bench.openView();
    await expect
      .poll(rows)
      .toMatch(/^Tapedeck is off — Turn On {2}MetaGPT's tests call the provider with your key\n/u);
    await bench.screenshots("metagpt-off");

    await bench.clickRow("Tapedeck is off");

    await expect.poll(() => bench.statusBar()).toBe("Strict");
    await expect.poll(rows).not.toContain("Tapedeck is off");
  });

  it("shows a key that its cache does not have as a missing call of its test", async () => {
    await bench.openFile(TEST, 22);
    await bench.runInTerminal("python3 -m unittest -q tests.test_plain");

    await expect.poll(rows).toMatch(/^Missing {2}1\n {2}"Review the snake game\." {2}MetaGPT/u);
    await expect.poll(rows).not.toContain("Failed");
    await expect.poll(() => bench.lenses()).toContain("1 missing");
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 cached");
    await expect.poll(() => bench.squiggles()).toBe(1);
    await bench.screenshots("metagpt-missing");
  });

  it("compares it with the nearest key, and takes that one's answer into MetaGPT's file alone", async () => {
    await bench.openFile(TEST, 22);
    await bench.clickLens("1 missing");
    await expect.poll(() => bench.editorText()).toContain('"kind" → "strict"');
    await bench.runCommand("Tapedeck: Answer Missing Call with Nearest Reply");

    await expect.poll(rows).not.toContain("Missing  1");
    const cache: unknown = JSON.parse(readFileSync(join(bench.folder, CACHE), "utf8"));
    expect(cache).toMatchObject({
      "You are a strict engineer.#SYSTEM_MSG_END#Review the snake game.": "Looks fine.",
    });
    expect(existsSync(join(bench.folder, ".tapedeck/calls"))).toBe(false);
    await expect.poll(() => bench.squiggles()).toBe(0);
  });

  it("records its test with the lens into MetaGPT's file alone, and Delete takes that back (needs python3 -m pip install pytest)", async ({
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
    await bench.clickRow(`MetaGPT cache — ${CACHE}`);
    await expect.poll(rows).toContain('"Review the snake game."');
    await bench.screenshots("metagpt-recorded");
    await bench.clickRow('"Review the snake game."');
    await bench.page.keyboard.press("Delete");

    await expect.poll(keys).toEqual(["Name the capital of Italy."]);
  });
});
