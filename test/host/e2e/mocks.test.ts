import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const FILE = "tests/classify.test.ts";
const rows = async (): Promise<string> => (await bench.treeRows()).join("\n");

/** Opens the list of modes and waits until it replaces the list of commands. */
async function selectMode(): Promise<void> {
  await bench.runCommand("Tapedeck: Select Mode…");
  await expect.poll(() => bench.quickPick()).toHaveLength(5);
}

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench();
  await bench.openView();
});

describe("lenient mode", () => {
  it("is one of the modes, and answers by the project's script", async () => {
    writeFileSync(join(bench.folder, "tapedeck-script.json"), '["The first call gets this text."]');
    writeFileSync(
      join(bench.folder, "tapedeck.jsonc"),
      '{ "lenient": { "script": "tapedeck-script.json" } }',
    );
    await selectMode();
    await bench.pick("Lenient");

    await expect.poll(() => bench.statusBar()).toBe("Lenient");
  });

  it("marks what it makes up: above the test, in the tree, on its page", async () => {
    await bench.runCommand("Terminal: Create New Terminal");
    await bench.openFile(FILE, 15);
    await bench.runInTerminal(`npx vitest run ${FILE}`);

    await expect.poll(() => bench.lenses()).toContain("1 made up");
    await expect.poll(rows).toMatch(/Made up {2}1\n.*Cannot log in.*reply 1 of the script/u);
    await bench.screenshots("made-up");
    await bench.clickLens("1 made up");
    await expect.poll(() => bench.editorText()).toMatch(/^Mocked: gpt-4o-mini/u);
    await expect.poll(() => bench.editorText()).toContain("reply 1 of the script answered it");
    await expect.poll(() => bench.editorText()).toContain("The first call gets this text.");
    await bench.screenshots("made-up-page");
  });

  it("checks the script while it is edited", async () => {
    writeFileSync(join(bench.folder, "tapedeck-script.json"), '[{ "status": 42 }]');
    await bench.openFile("tapedeck-script.json", 1);
    await expect.poll(async () => (await bench.problems()).join("\n")).toContain("minimum of 400");
    await bench.screenshots("script-checked");
    writeFileSync(join(bench.folder, "tapedeck-script.json"), '["The first call gets this text."]');
  });
});
