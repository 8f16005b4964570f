import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

describe("looking around", () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await openWorkbench();
  });

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
