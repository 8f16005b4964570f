import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

describe("in Restricted Mode", () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await openWorkbench({ restricted: true });
  });

  it("recordings can be read", async () => {
    await expect.poll(() => bench.statusBar()).toBe("Tapedeck");
    await bench.openView();

    await expect.poll(() => bench.treeRows()).not.toEqual([]);
    expect(await bench.statusBarKind()).toBe("plain");
  });

  it("nothing offers to run a test", async () => {
    await bench.openFile("tests/classify.test.ts", 7);

    expect(await bench.lenses()).toEqual([]);
    const offered = (await bench.offeredCommands("Tapedeck: Record Test at Cursor")).join("\n");
    expect(offered).not.toContain("Record Test at Cursor");
  });

  it("trust starts it without a reload", async () => {
    await bench.clickStatusBar();
    await bench.page.getByRole("button", { name: "Trust", exact: true }).click();

    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 recorded");
  });
});
