import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { aWorkspaceToBrowse } from "./browse-workspace.ts";

describe("keeping what is wanted", () => {
  let bench: Workbench;
  const rows = () => bench.treeRows().then((lines) => lines.join("\n"));
  beforeAll(async () => {
    bench = await openWorkbench({ workspace: await aWorkspaceToBrowse() });
    await bench.openView();
  });

  it("names a file among the recordings that is none, and why", async () => {
    writeFileSync(join(bench.folder, ".tapedeck/calls/openai/notes.txt"), "buy milk");

    await bench.runCommand("Tapedeck: Refresh Calls");
    await expect.poll(rows).toContain("Not recordings  1");
    await bench.clickRow("Not recordings");

    await expect.poll(rows).toContain("notes.txt  it is not at calls/");
  });

  it("lists new recordings by the test that made them, and accepts a test's at once", async () => {
    await bench.clickStatusBar();
    await bench.runInTerminal(
      'node ask.mjs "One?"; node ask.mjs "Two?"; node ask.mjs "Three?" 0.2 "chat › thinks first"',
    );
    await expect.poll(rows).toContain("New  3");
    await expect.poll(rows).toMatch(/ {2}chat › answers in one word {2}2\n.*One\?.*\n.*Two\?/u);
    await expect.poll(rows).toMatch(/ {2}chat › thinks first {2}1\n.*Three\?/u);

    await bench.pressRowButton("chat › answers in one word", "Accept");

    await expect.poll(rows).toContain("New  1");
    await expect.poll(rows).toMatch(/New {2}1\n.*Three\?/u);
  });

  it("compares a new recording with what it replaces, or says that it replaces none", async () => {
    await bench.rowMenu("Three?");
    await bench.chooseFromMenu("Compare with What It Replaces");

    await expect
      .poll(() => bench.notifications().then((all) => all.join("\n")))
      .toContain("This recording replaces none");
    await bench.clickStatusBar();
  });
});
