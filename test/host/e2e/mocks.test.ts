import { readFileSync, writeFileSync } from "node:fs";
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

describe("Lenient…", () => {
  it("offers the mocks, and makes a script that completes and checks", async () => {
    await selectMode();
    await bench.pick("Lenient…");
    await expect.poll(async () => (await bench.quickPick()).join("\n")).toContain("Script…");
    await bench.screenshots("lenient-offered");
    await bench.pick("Script…");
    await expect.poll(async () => (await bench.quickPick()).join("\n")).toContain("New Script");
    await bench.pick("New Script");

    await expect.poll(() => bench.editorTitle()).toContain("tapedeck-script.json");
    await expect.poll(() => bench.statusBar()).toBe("Lenient");
    expect(readFileSync(join(bench.folder, "tapedeck.jsonc"), "utf8")).toContain(
      '"script": "tapedeck-script.json"',
    );
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

  it("is changed by its command, which shows the current one", async () => {
    const choose = async (now: string, mock: string) => {
      await bench.runCommand("Tapedeck: Select Lenient Mode Replies…");
      await expect.poll(async () => (await bench.quickPick()).join("\n")).toContain(now);
      await bench.pick(mock);
    };
    const project = () => readFileSync(join(bench.folder, "tapedeck.jsonc"), "utf8");

    await choose("the script tapedeck-script.json", "Kosong's Echo Language");
    await expect.poll(project).toContain('"mock": "kosong"');
    await choose("kosong's echo language", "Script…");
    await bench.pick("tapedeck-script.json");

    await expect.poll(project).toContain('"script": "tapedeck-script.json"');
  });
});
