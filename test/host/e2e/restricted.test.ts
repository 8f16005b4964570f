import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { portsOfExtensionHosts, TELLS_SOCKETS } from "../support/listening.ts";
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

describe("in Restricted Mode, with two folders", () => {
  const names = ["desk", "shop"];
  let bench: Workbench;
  let states: readonly string[];
  beforeAll(async () => {
    bench = await openWorkbench({ workspace: await aWorkspaceToBrowse(), folders: names, restricted: true });
    states = names.map((name) => join(dirname(bench.folder), name, ".tapedeck", ".local"));
  });

  it("the calls of both are shown, and nothing is written", async () => {
    await expect.poll(() => bench.statusBar()).toMatch(/^Tapedeck · /u);
    await bench.openView();
    await expect.poll(() => bench.treeRows()).toEqual(expect.arrayContaining(["desk  off", "shop  off"]));
    const whole = (await bench.treeRows()).filter((row) => row.startsWith("  Recordings"));
    expect(whole).toEqual(["  Recordings  7", "  Recordings  7"]);
    expect(states.filter((state) => existsSync(state))).toEqual([]);
  });

  it.skipIf(!TELLS_SOCKETS)("no socket is open (needs Linux, which tells of each)", () => {
    expect(portsOfExtensionHosts(dirname(bench.folder))).toEqual([]);
  });

  it("trust starts both without a reload", async () => {
    await bench.clickStatusBar();
    await bench.page.getByRole("button", { name: "Trust", exact: true }).click();

    await expect.poll(() => bench.statusBar()).toMatch(/^Strict · /u);
  });

  it.skipIf(!TELLS_SOCKETS)("each has a socket then (needs Linux, which tells of each)", async () => {
    await expect.poll(() => portsOfExtensionHosts(dirname(bench.folder))).toHaveLength(names.length);
  });
});
