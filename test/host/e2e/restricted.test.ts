import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { portsOfExtensionHosts, TELLS_SOCKETS } from "../support/listening.ts";
import { aWorkspaceToBrowse } from "./browse-workspace.ts";

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

  it.skipIf(!TELLS_SOCKETS)("no socket is open (needs Linux, which lists them)", () => {
    expect(portsOfExtensionHosts(dirname(bench.folder))).toEqual([]);
  });

  it("trust starts both without a reload", async () => {
    await bench.clickStatusBar();
    await bench.page.getByRole("button", { name: "Trust", exact: true }).click();

    await expect.poll(() => bench.statusBar()).toMatch(/^Strict · /u);
  });

  it.skipIf(!TELLS_SOCKETS)("each has a socket then (needs Linux, which lists them)", async () => {
    await expect.poll(() => portsOfExtensionHosts(dirname(bench.folder))).toHaveLength(names.length);
  });
});
