import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const FILE = "tests/classify.test.ts";

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ language: "zh-cn" });
  await bench.openView();
});

describe("a window in Chinese", () => {
  it("has a Chinese status bar item, tree, and lens", async () => {
    await bench.openFile(FILE, 15);

    await expect.poll(() => bench.statusBar()).toBe("严格");
    await expect.poll(() => bench.treeRows()).toContain("未命中  0");
    await expect.poll(() => bench.lenses()).toContain("回放 · 1 个已录制");
    await bench.screenshots("chinese-tree");
  });

  it("shows a missing call in Chinese", async () => {
    await bench.runInTerminal(`npx vitest run ${FILE}`);
    await expect.poll(() => bench.lenses()).toContain("1 个未命中");
    await expect.poll(() => bench.treeRows()).toContain("未命中  1");
    await bench.clickLens("1 个未命中");

    await expect.poll(() => bench.lenses()).toEqual(["录制此调用", "更多…"]);
    await bench.screenshots("chinese-missing");
  });

  it("has Chinese commands, picks, messages, and a Chinese walkthrough", async () => {
    await bench.runCommand("Tapedeck: 选择模式…");
    await expect.poll(async () => (await bench.quickPick()).join("\n")).toContain("没有数据离开本机");
    await bench.screenshots("chinese-modes");
    await bench.page.keyboard.press("Escape");
    await bench.runCommand("Tapedeck: 检查录制");
    await expect.poll(() => bench.notifications().then(String)).toContain("已检查");
    await bench.screenshots("chinese-message");

    await bench.runCommand("Open Walkthrough...");
    await bench.pick("Tapedeck 入门");

    await expect
      .poll(() => bench.page.locator(".gettingStartedContainer").innerText())
      .toContain("录制测试的调用");
    await bench.screenshots("chinese-walkthrough");
  });
});
