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
});
