import { cpSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { demoWorkspace, rootDir } from "../../../scripts/host/paths.mjs";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const FILE = "tests/classify.test.ts";
const RED = "sends a lost password to account";
const OURS = ["Record Test", "Replay Test", "Go to Missing Recording", "Show Calls of Test"];

const STOP = "Stop Recording or Replaying";

/** No published test explorer is available here; an extension of ours that runs the real runners replaces them. */
const explorer = join(rootDir, "test", "host", "explorer");

describe("a test that another extension's explorer shows and runs", () => {
  let bench: Workbench;
  beforeAll(async () => {
    const workspace = join(mkdtempSync(join(tmpdir(), "tape-explorer-")), "support-desk");
    cpSync(demoWorkspace, workspace, { recursive: true, filter: (path) => !path.includes("node_modules") });
    const plain = [
      "import time, unittest\n\nclass Plain(unittest.TestCase):",
      "    def test_adds(self):\n        pass\n",
      "    def test_waits(self):\n        time.sleep(600)\n",
    ].join("\n");
    writeFileSync(join(workspace, "tests/test_plain.py"), plain);
    const settings = { "tapedeck.environment.extensions": true };
    bench = await openWorkbench({ theme: "dark", workspace, beside: [explorer], settings });
  });

  it("is noticed when no call of it arrives, with what to do, and named in the view", async () => {
    await bench.openView();
    await bench.runCommand("Testing: Focus on Test Explorer View");
    await bench.unfoldTest("test_plain.py", "Plain");

    await bench.runExplorerTest("test_adds");

    await expect.poll(() => bench.explorerState("test_adds")).toContain("Passed");
    await bench.openView();
    await expect.poll(() => bench.viewMessage()).toContain("“unittest”");
    await bench.screenshot("unreached");
    expect(await bench.notifications()).toEqual([]);
  });

  it("fails there for the missing call, which is marked in its file", async () => {
    await bench.openFile(FILE, 15);
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 recorded");
    await bench.runCommand("Testing: Focus on Test Explorer View");
    await bench.unfoldTest("classify.test.ts", "classify");
    await bench.runExplorerTest(RED);

    await expect.poll(() => bench.explorerState(RED)).toContain("Failed");
    await expect.poll(() => bench.squiggles()).toBe(1);
    expect(bench.upstream.requests).toBe(0);
  });

  it("leads from its item to the page of the missing call", async () => {
    expect(await bench.explorerMenu(RED)).toEqual(expect.arrayContaining(OURS));
    await bench.screenshot("explorer-item-menu");
    await bench.chooseFromMenu("Go to Missing Recording");

    await expect.poll(() => bench.editorTitle()).toContain("Cannot log in");
    await expect.poll(() => bench.lenses()).toEqual(["Record this call", "More…"]);
    const page = await bench.editorText();
    expect(page).toContain(`${FILE}:15`);
    expect(page).toContain("Called in src/classify.ts:9");
    await bench.screenshot("missing-page-dark");
  });

  it("leads there from its message", async () => {
    await bench.openFile(FILE, 15);
    await bench.runCommand("Test Results: Focus on Test Results View");
    expect(await bench.messageMenu(RED)).toEqual(
      expect.arrayContaining(["Go to Missing Recording", "Record Test"]),
    );
    await bench.page.keyboard.press("Escape");
    await bench.page.keyboard.press("ArrowRight");
    const offered = await bench.messageMenu("No recording");
    await bench.screenshot("explorer-message-menu");
    expect(offered).toContain("Go to Missing Recording");
    await bench.chooseFromMenu("Go to Missing Recording");

    await expect.poll(() => bench.editorTitle()).toContain("Cannot log in");
  });

  it("has the same in the menus beside its line and in the text", async () => {
    await bench.openFile(FILE, 15);

    await expect.poll(() => bench.gutterMenu(14)).toEqual(expect.arrayContaining(OURS));
    await bench.page.keyboard.press("Escape");
    expect(await bench.lineNumberMenu(15)).toEqual(
      expect.arrayContaining(["Record Test", "Replay Test", "Show Calls of Test"]),
    );
    await bench.chooseFromMenu("Show Calls of Test");
    await expect.poll(() => bench.treeRows()).toContainEqual(expect.stringContaining("Cannot log in"));
    await bench.runCommand("Tapedeck: Clear Filter");
    await bench.openFile(FILE, 15);
    expect(await bench.editorMenu()).toEqual(
      expect.arrayContaining(["Record Test", "Replay Test", "Record Tests in File"]),
    );
    await bench.page.keyboard.press("Escape");
  });

  it("is recorded by one click in its menu, and then green there too", async () => {
    await bench.runCommand("Testing: Focus on Test Explorer View");
    await bench.explorerMenu(RED);
    await bench.chooseFromMenu("Record Test");
    await expect.poll(() => bench.terminalText()).toMatch(/The test passed · 1 recorded/u);
    await expect.poll(() => bench.squiggles()).toBe(0);

    await bench.runExplorerTest(RED);

    await expect.poll(() => bench.explorerState(RED)).toContain("Passed");
    expect(bench.upstream.requests).toBe(1);
  });

  it("is stopped from its menu while it runs, and not offered that before", async () => {
    await bench.openFile("tests/test_plain.py", 8);
    await bench.runCommand("Testing: Focus on Test Explorer View");
    await bench.unfoldTest("test_plain.py", "Plain");
    const before = await bench.explorerMenu("test_waits");
    await bench.chooseFromMenu("Replay Test");
    await expect.poll(() => bench.lenses()).toContain("Replaying · stop");

    await expect.poll(() => bench.gutterMenu(7)).toContain(STOP);
    await bench.page.keyboard.press("Escape");
    await bench.runCommand("Testing: Focus on Test Explorer View");
    expect(await bench.explorerMenu("test_waits")).toContain(STOP);
    await bench.screenshot("explorer-stop");
    await bench.chooseFromMenu(STOP);

    expect(before).not.toContain(STOP);
    await expect.poll(() => bench.terminalText()).toContain("The test was stopped");
    await bench.close();
  });
});
