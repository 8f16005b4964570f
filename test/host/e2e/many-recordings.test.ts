import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { openai } from "./browse-workspace.ts";

const MANY = 2_000;

let bench: Workbench;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "many-"));
  const store = createFolderStore(join(folder, ".tapedeck"));
  for (let at = 0; at < MANY; at += 1) await store.save(openai(`Where is parcel ${at}?`));
  bench = await openWorkbench({ workspace: folder });
});

const rows = () => bench.treeRows().then((lines) => lines.join("\n"));

describe("in a folder of 2,000 recordings", () => {
  it("the group shows its rows when it is opened for the first time", async () => {
    await bench.openView();
    await expect.poll(rows).toContain("Recordings  2,000");

    await bench.clickRow("Recordings");

    await expect.poll(rows).toContain("Unknown test  2,000");
    await bench.clickRow("Recordings");
  });

  it.each([38, 1_999, 700])(
    "Enter opens the first hit, however soon it is pressed: parcel %i",
    async (one) => {
      await bench.runCommand("Tapedeck: Open Recording…");
      await bench.type(`"parcel ${one}?"`, { submit: true });

      await expect.poll(() => bench.editorTitle()).toBe(`Where is parcel ${one}?`);
    },
  );

  it("a hit that is shown has the focus", async () => {
    await bench.runCommand("Tapedeck: Open Recording…");
    await bench.type('"parcel 38?"');
    await expect.poll(() => bench.quickPick()).toHaveLength(1);

    const focused = bench.page.locator(".quick-input-list .monaco-list-row.focused");
    await expect.poll(() => focused.count()).toBe(1);
    await bench.page.keyboard.press("Escape");
  });

  it("a filter holds while its results are opened, and until it is cleared", async () => {
    await bench.openView();
    await bench.runCommand("Tapedeck: Filter Calls…");
    await bench.type('"parcel 1999?"');
    await expect.poll(rows).toContain("Recordings  1 of 2,000");

    await bench.clickRow("Where is parcel 1999?");

    await expect.poll(() => bench.editorTitle()).toBe("Where is parcel 1999?");
    await expect.poll(() => bench.quickPick()).toEqual([]);
    expect(await rows()).toContain("Recordings  1 of 2,000");
    await bench.runCommand("Tapedeck: Clear Filter");
    await expect.poll(rows).toContain("Recordings  2,000");
  });

  it("Escape keeps what was typed", async () => {
    await bench.runCommand("Tapedeck: Filter Calls…");
    await bench.type('"parcel 7?"');
    await expect.poll(rows).toContain("Recordings  1 of 2,000");

    await bench.page.keyboard.press("Escape");

    await expect.poll(() => bench.quickPick()).toEqual([]);
    expect(await rows()).toContain("Recordings  1 of 2,000");
  });

  it("Enter on a typed state keeps it, and shows it without the count of requests", async () => {
    await bench.runCommand("Tapedeck: Filter Calls…");
    await bench.type("state:recorded", { submit: true });

    await expect.poll(() => bench.quickPick()).toEqual([]);
    await expect.poll(() => bench.viewMessage()).toBe("Calls with: state:recorded");
    await bench.runInTerminal("curl -s $OPENAI_BASE_URL/models");
    await expect.poll(() => bench.terminalText()).toContain("tapedeck");
    expect(await bench.viewMessage()).toBe("Calls with: state:recorded");
  });
});
