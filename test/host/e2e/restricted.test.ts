import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { aWorkspaceToBrowse } from "./browse-workspace.ts";
import { unfold } from "./unfold.ts";

describe("in Restricted Mode", () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await openWorkbench({ workspace: await aWorkspaceToBrowse(), restricted: true, theme: "dark" });
  });

  it("everything is shown, and nothing offered that runs or changes files", async () => {
    await expect.poll(() => bench.statusBar()).toBe("Tapedeck");
    expect(await bench.statusBarKind()).toBe("plain");
    await bench.openView();
    await unfold(bench, "tests/chat.test.ts", "chat › uses a tool");
    await unfold(bench, "chat › uses a tool", "What is the weather");

    await bench.clickRow("What is the weather");
    await expect.poll(() => bench.editorText()).toContain("Take one: rain on Tuesday.");
    await expect.poll(() => bench.lenses()).toEqual(["Open file", "Compare…", "Go to test", "Copy as curl"]);
    const menu = await bench.rowMenu("What is the weather");

    expect(menu).toEqual([
      "Open as Conversation",
      "Open Recording File",
      "Go to Test",
      "Compare Recordings…",
      "Copy Key",
      "Copy as curl",
    ]);
    await bench.page.keyboard.press("Escape");
    expect(existsSync(join(bench.folder, ".tapedeck", ".local"))).toBe(false);
  });

  it("nothing offers to run a test", async () => {
    await bench.openFile("tests/chat.test.ts", 4);

    expect(await bench.lenses()).toEqual([]);
    const offered = (await bench.offeredCommands("Tapedeck: Record Test at Cursor")).join("\n");
    expect(offered).not.toContain("Record Test at Cursor");
  });

  it("trust starts it without a reload", async () => {
    await bench.clickStatusBar();
    await bench.page.getByRole("button", { name: "Trust", exact: true }).click();

    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);
    await expect.poll(() => bench.lenses()).toContain("Replay · 3 recorded");
  });
});
