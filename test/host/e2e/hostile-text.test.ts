import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addCandidates } from "../../../src/storage/local/candidates.ts";
import { createFolderStore } from "../../../src/storage/folder/folder-store.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { openai } from "./browse-workspace.ts";
import { unfold } from "./unfold.ts";

const NEW_FILE = "[Restore_the_test](command:workbench.action.files.newUntitledFile)";
const PATH = `tests/${NEW_FILE}`;
const QUESTION = `Say $(zap) \u202e\u200b${NEW_FILE}`;
/** What must not be made of text: a link, or an icon where the text has one. */
const LINKS = ".notification-list-item-message a";

describe("in Restricted Mode, a folder whose recordings name commands", () => {
  const workspace = mkdtempSync(join(tmpdir(), "hostile-"));
  let bench: Workbench;
  beforeAll(async () => {
    const dir = join(workspace, ".tapedeck");
    const store = createFolderStore(dir);
    const test = { file: PATH, name: [NEW_FILE, "$(zap) says"], line: 3 };
    const other = { ...test, name: [`other ${NEW_FILE}`] };
    const { entry } = await store.save(openai(QUESTION, { test }));
    await store.save(openai("Say $(zap)", { test: other }));
    await addCandidates(dir, [{ entry, recordedAt: Date.now() }]);
    writeFileSync(join(workspace, "tapedeck.jsonc"), "{ broken");
    writeFileSync(join(dir, "calls", `${NEW_FILE}.json`), "{}");
    bench = await openWorkbench({ workspace, restricted: true });
    await bench.openView();
  });
  afterAll(() => rmSync(workspace, { recursive: true, force: true }));

  /** How many VS Code counts in all files; nothing where there are none. */
  const problems = (): Promise<string> =>
    bench.page.locator('[id="status.problems"]').getAttribute("aria-label").then(numberIn);
  const untitled = (): Promise<number> => bench.page.getByRole("tab", { name: /Untitled/u }).count();

  it("has its unchanged text in the sidebar, with invisible characters visible", async () => {
    await unfold(bench, PATH, "$(zap) says");
    await unfold(bench, "$(zap) says", "Say $(zap) ");

    const rows = (await bench.treeRows()).join("\n");
    expect(rows).toContain(PATH);
    expect(rows).toContain(String.raw`Say $(zap) \u{202e}\u{200b}[Restore`);
    expect(await bench.page.locator(".monaco-list-row .codicon-zap").count()).toBe(0);
  });

  it("has no link in the message that its test cannot be opened", async () => {
    await bench.clickRow("Say $(zap) ");
    await expect.poll(() => bench.editorTitle()).toContain("Say $(zap)");

    await bench.runCommand("Tapedeck: Go to Test of Call");

    await expect
      .poll(() => bench.notifications().then((all) => all.join("\n")))
      .toContain("Restore_the_test");
    expect(await bench.page.locator(LINKS).count()).toBe(0);
    expect(await untitled()).toBe(0);
  });

  it("is read no further than it is shown: neither its settings nor what was noted in it count", async () => {
    expect(await bench.treeRows()).toContain("New  0");
    expect(await problems()).toBe("");
  });

  it("has neither icons nor invisible text in the list of recordings", async () => {
    await bench.runCommand("Tapedeck: Open Recording…");

    await expect
      .poll(() => bench.quickPick().then((rows) => rows.join("\n")))
      .toContain("[Restore_the_test] (command:");
    const rows = (await bench.quickPick()).join("\n");
    expect(rows).toContain(String.raw`$ (zap) \u{202e}\u{200b}[Restore`);
    expect(rows).not.toMatch(/[\u200b\u202e]/u);
    expect(await bench.page.locator(".quick-input-list .codicon-zap").count()).toBe(0);
    await bench.page.keyboard.press("Escape");
  });

  it("is read in full once it is trusted", async () => {
    await bench.clickStatusBar();
    await bench.page.getByRole("button", { name: "Trust", exact: true }).click();

    await expect.poll(() => bench.treeRows()).toContain("New  1");
    await expect.poll(problems).toContain("1");
  });
});

function numberIn(label: string | null): string {
  return /[1-9]\d*/u.exec(label ?? "")?.[0] ?? "";
}
