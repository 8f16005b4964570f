import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Workbench, openWorkbench } from "../support/open-workbench.ts";
import { casesOf } from "../../support/cases.ts";
import { aWorkspaceToBrowse } from "./browse-workspace.ts";
import { recordingsAreImported } from "./import-files.ts";
import { portsOfExtensionHosts, TELLS_SOCKETS } from "../support/listening.ts";
import { unfold } from "./unfold.ts";
import { filesBelow } from "../../support/files-below.ts";

const FRANCE = "What is the capital of France?";

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ workspace: await aWorkspaceToBrowse(), restricted: true });
});

function recordings(): readonly string[] {
  const dir = join(bench.folder, ".tapedeck", "calls");
  return filesBelow(dir).filter((name) => name.endsWith(".json"));
}

const rows = () => bench.treeRows().then((lines) => lines.join("\n"));

describe("in Restricted Mode", () => {
  it("the calls are shown, nothing is written, and no socket is open (needs Linux, which lists them)", async () => {
    await expect.poll(() => bench.statusBar()).toBe("Tapedeck");
    await bench.openView();
    await expect.poll(rows).toContain("Recordings  7");

    expect(existsSync(join(bench.folder, ".tapedeck", ".local"))).toBe(false);
    expect(TELLS_SOCKETS ? portsOfExtensionHosts(bench.home) : []).toEqual([]);
  });

  it("trust starts Tapedeck without a reload", async () => {
    await bench.clickStatusBar();
    await bench.page.getByRole("button", { name: "Trust", exact: true }).click();

    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/u);
    // The trust page covers the window.
    await bench.page
      .locator(".monaco-modal-editor-block")
      .getByRole("button", { name: "Close" })
      .first()
      .click();
    await expect.poll(() => !TELLS_SOCKETS || portsOfExtensionHosts(bench.home).length === 1).toBe(true);
  });
});

describe("browsing the calls of a workspace", () => {
  it("shows recordings by test, and files that cannot be read beside them", async () => {
    await unfold(bench, "tests/chat.test.ts", "looks at a picture");
    await unfold(bench, "Broken", '26:11 · a ":" is missing.');
    await unfold(bench, "answers in one word", "Say goodbye in one word");

    const whole = (await bench.treeRows()).filter((row) => !row.includes(".json"));
    expect(whole).toEqual([
      "Missing  0",
      "New  0",
      "Recordings  7",
      "  Broken  1",
      "  tests/chat.test.ts  6",
      "    answers in one word  3",
      '      "Say hi in one word" → "Hi!"  take 1 of 2 · gpt-4o-mini · 23 tokens · 3 d',
      '      "Say hi in one word" → "Hello!"  take 2 of 2 · gpt-4o-mini · 23 tokens · 3 d',
      '      "Say goodbye in one word"  gpt-4o-mini · 23 tokens · 1 d',
      "    uses a tool  1",
      "    thinks first  1",
      "    looks at a picture  1",
    ]);
  });

  it("finds a recording by a word of its reply and shows it as a conversation, with the thinking closed", async () => {
    await bench.runCommand("Tapedeck: Filter Calls…");
    await bench.type("digit", { submit: true });
    await expect.poll(() => bench.treeRows()).toHaveLength(4);
    expect((await bench.treeRows())[0]).toBe("Recordings  1 of 7");

    await bench.clickRow("Is 9.11 larger");

    await expect.poll(() => bench.editorTitle()).toBe("Is 9.11 larger than 9.9?");
    await expect.poll(() => bench.editorText()).toContain("No: 9.9 is larger.");
    const text = await bench.editorText();
    expect(text).toContain("anthropic · messages · claude-sonnet-4-5");
    expect(text).toContain("── assistant, thinking ─");
    await expect.poll(() => bench.editorText()).not.toContain("Compare digit by digit.");
    await expect
      .poll(() => bench.lenses())
      .toEqual(["Open File", "Re-record", "Compare…", "Go to Test", "Show Whole Test", "Copy as curl"]);
  });

  it("returns to its previous state when the filter is cleared", async () => {
    await bench.runCommand("Tapedeck: Clear Filter");

    await expect
      .poll(() => bench.treeRows().then((lines) => lines.join("\n")))
      .toContain("Say goodbye in one word");
  });

  it("opens a broken file where it is wrong", async () => {
    await bench.clickRow("26:11");

    await expect.poll(() => bench.editorTitle()).toContain(".json");
    await expect
      .poll(() => bench.page.locator('[id="status.editor.selection"]').innerText())
      .toContain("Ln 26, Col 11");
  });

  it("shows what is missing, why, and beside what is nearest", async () => {
    await bench.runInTerminal('node ask.mjs "Say hi in one word" 0.7');
    await expect.poll(() => bench.treeRows()).toContain("Missing  1");
    await expect.poll(() => bench.badge()).toBe("2");

    await bench.runCommand("Tapedeck: Go to Missing Recording");
    await expect.poll(() => bench.editorTitle()).toBe("Say hi in one word");
    await expect.poll(() => bench.editorText()).toContain("temperature 0.2 → 0.7");
    await expect.poll(() => bench.lenses()).toEqual(["Record this call", "More…"]);
    await bench.clickLens("More…");
    await bench.pick("Compare with nearest");

    await expect.poll(() => bench.editorTitle()).toContain("↔");
    const sides = bench.page.locator(".monaco-diff-editor .view-lines");
    await expect.poll(() => sides.first().innerText().then(plainSpaces)).toContain("temperature 0.2");
    await expect.poll(() => sides.last().innerText().then(plainSpaces)).toContain("temperature 0.7");
  });

  it("takes a reply written by hand: nothing answers before it is saved, then the test is answered", async () => {
    const before = recordings().length;
    await bench.runCommand("Tapedeck: Write Reply to Missing Call");
    await expect.poll(() => bench.editorText()).toContain("Write the reply here.");
    expect(recordings()).toHaveLength(before);

    await bench.page.keyboard.type("Howdy.");
    await bench.page.keyboard.press("Control+S");

    await expect.poll(() => recordings().length).toBe(before + 1);
    await expect.poll(() => bench.treeRows()).toContain("Missing  0");
    await bench.runInTerminal('node ask.mjs "Say hi in one word" 0.7');
    await expect.poll(() => bench.terminalText()).toContain("200 replayed Howdy.");
  });

  it("deletes a recording and takes that back", async () => {
    const before = recordings();
    await bench.rowMenu("Say goodbye in one word");
    await bench.chooseFromMenu("Delete");
    await expect.poll(() => bench.notifications()).toContain("Deleted 1 recording.");
    expect(recordings()).toHaveLength(before.length - 1);
    await expect.poll(() => bench.treeRows().then((lines) => lines.join("\n"))).not.toContain("Say goodbye");

    await bench.pressButton("Undo");

    await expect.poll(() => recordings()).toEqual(before);
    await expect.poll(() => bench.treeRows().then((lines) => lines.join("\n"))).toContain("Say goodbye");
  });

  it("deletes the row that arrow keys moved to, not the one that was clicked before", async () => {
    const before = recordings();
    const shown = () => bench.treeRows().then((lines) => lines.join("\n"));
    await bench.clickRow("Say goodbye in one word");
    await bench.page.keyboard.press("ArrowUp");
    await bench.page.keyboard.press("Delete");

    await expect.poll(() => recordings()).toHaveLength(before.length - 1);
    await expect.poll(() => bench.notifications()).toContain("Deleted 1 recording.");
    expect(await shown()).toContain("Say goodbye");
    await bench.pressButton("Undo");
    await expect.poll(() => recordings()).toEqual(before);
  });

  it("shows new recordings until they are accepted or discarded", async () => {
    const before = recordings().length;
    await bench.clickStatusBar();
    await bench.runInTerminal(`node ask.mjs "${FRANCE}"; node ask.mjs "And of Spain?"`);
    await expect.poll(() => bench.treeRows()).toContain("New  2");

    await bench.pressRowButton(FRANCE, "Accept New Recordings");
    await expect.poll(() => bench.treeRows()).toContain("New  1");
    await bench.pressRowButton("And of Spain?", "Discard New Recordings…");
    await expect.poll(() => bench.treeRows()).toContain("New  0");

    await expect.poll(() => recordings().length).toBe(before + 1);
    await bench.clickStatusBar();
  });
});

casesOf({ quick: () => {}, long: newRecordingsAreGrouped })();

function newRecordingsAreGrouped(): void {
  it("groups by model", async () => {
    await bench.runCommand("Tapedeck: Group Calls By…");
    await bench.pick("Model");

    await expect
      .poll(() => bench.treeRows())
      .toEqual([
        "Missing  0",
        "New  0",
        "Recordings  9",
        "  Broken  1",
        '    f0b5f832….json  26:11 · a ":" is missing.',
        "  claude-sonnet-4-5  2",
        "  gpt-4o-mini  6",
      ]);
  });

  it("lists new recordings by the test that made them, and accepts a test's at once", async () => {
    await bench.runCommand("Tapedeck: Group Calls By…");
    await bench.pick("Test");
    await bench.clickStatusBar();
    await bench.runInTerminal(
      'node ask.mjs "One?"; node ask.mjs "Two?"; node ask.mjs "Three?" 0.2 "chat > thinks first"',
    );
    await expect.poll(rows).toContain("New  3");
    await expect.poll(rows).toMatch(/ {2}answers in one word {2}2\n.*One\?.*\n.*Two\?/u);
    await expect.poll(rows).toMatch(/ {2}thinks first {2}1\n.*Three\?/u);

    await bench.pressRowButton("answers in one word", "Accept New Recordings");

    await expect.poll(rows).toContain("New  1");
    await expect.poll(rows).toMatch(/New {2}1\n.*Three\?/u);
  });

  it("shows calls that are recorded faster than a person reads", async () => {
    await bench.runInTerminal("node burst.mjs 100");

    await expect.poll(rows).toMatch(/^New {2}101\n {2}/mu);
    await bench.screenshots("recorded-fast");
    await bench.runCommand("Tapedeck: Accept New Recordings");
    await expect.poll(rows).toContain("New  0");
    await bench.runInTerminal('node ask.mjs "Four?" 0.2 "chat > thinks first"');
    await expect.poll(rows).toContain("New  1");
  });

  it("compares a new recording that replaces none with one that is picked", async () => {
    await bench.rowMenu("Four?");
    await bench.chooseFromMenu("Compare…");

    await expect.poll(() => bench.quickPick().then((all) => all.length)).toBeGreaterThan(1);
    await bench.page.keyboard.press("Escape");
    await bench.clickStatusBar();
  });

  recordingsAreImported(() => bench);
}

function plainSpaces(text: string): string {
  return text.replaceAll("\u00a0", " ");
}
