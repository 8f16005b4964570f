import { describe, expect, it } from "vitest";
import { openWorkbench } from "../support/open-workbench.ts";

describe("the status bar item", () => {
  it("toggles strict and record with a click, and warns only in record", async () => {
    const bench = await openWorkbench();
    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);

    await bench.clickStatusBar();
    await expect.poll(() => bench.statusBar()).toBe("Record");
    const recording = await bench.statusBarKind();
    await bench.clickStatusBar();
    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);

    expect(recording).toBe("warning");
    expect(await bench.statusBarKind()).toBe("plain");
    expect(await bench.notifications()).toEqual([]);
    await bench.close();
  });

  it("offers all five modes, each with what it does", async () => {
    const bench = await openWorkbench();
    await bench.runCommand("Tapedeck: Select Mode…");

    await expect.poll(() => bench.quickPick()).toHaveLength(5);
    const offered = await bench.quickPick();
    await bench.pick("Lenient");

    await expect.poll(() => bench.statusBar()).toBe("Lenient");
    expect(offered.join("\n")).toContain("nothing leaves this machine");
    expect(await bench.statusBarKind()).toBe("plain");
    await bench.close();
  });
});

describe("in Restricted Mode", () => {
  it("recordings can be read, nothing runs, and trust starts it without a reload", async () => {
    const bench = await openWorkbench({ restricted: true });
    await expect.poll(() => bench.statusBar()).toBe("Tapedeck");
    const kind = await bench.statusBarKind();
    await bench.openView();
    await expect.poll(() => bench.treeRows()).not.toEqual([]);

    await bench.clickStatusBar();
    await bench.page.getByRole("button", { name: "Trust", exact: true }).click();

    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);
    expect(kind).toBe("plain");
    await bench.close();
  });
});
