import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { aWorkspaceToBrowse } from "./browse-workspace.ts";

const FILE = "tests/chat.test.ts";
const ASK = 'node ask.mjs "Say goodbye in one word" 0.7';

type Way = readonly [theme: "light" | "dark", how: string, ignore: (bench: Workbench) => Promise<void>];

const ways: readonly Way[] = [
  [
    "light",
    "the page of the missing call",
    async (bench) => {
      await bench.openFile(FILE, 4);
      await expect.poll(() => bench.lenses()).toContain("1 missing");
      await bench.clickLens("1 missing");
      await expect.poll(() => bench.lenses()).toContain("Ignore this difference…");
      await bench.clickLens("Ignore this difference…");
    },
  ],
  [
    "dark",
    "the quick fix on the test's line",
    async (bench) => {
      await bench.openFile(FILE, 4);
      await expect.poll(() => bench.squiggles()).toBe(1);
      expect(await bench.quickFixes()).toContain("Ignore this difference…");
      await bench.chooseFix("Ignore this difference…");
    },
  ],
];

describe.each(ways)("in %s, from %s", (theme, _how, ignore) => {
  let bench: Workbench;
  const dialog = (): Promise<string> => bench.page.locator(".monaco-dialog-box").innerText();
  const rulesFile = (): string => join(bench.folder, "tapedeck.jsonc");
  beforeAll(async () => {
    bench = await openWorkbench({ theme, workspace: await aWorkspaceToBrowse() });
    await bench.openView();
  });

  it("a difference that does not matter becomes a rule, after what it touches was shown", async () => {
    await bench.runInTerminal(ASK);
    await expect.poll(() => bench.terminalText()).toMatch(/404 miss/u);
    await expect.poll(() => bench.badge()).toBe("1");

    await ignore(bench);
    await expect.poll(dialog).toContain("Add this rule to tapedeck.jsonc?");
    expect(await dialog()).toContain("/temperature");
    await bench.screenshot(`ignore-difference-asked-${theme}`);
    expect(existsSync(rulesFile())).toBe(false);
    await bench.pressButton("Add Rule");

    await expect.poll(() => bench.editorTitle()).toContain("tapedeck.jsonc");
    await expect.poll(() => readFileSync(rulesFile(), "utf8")).toMatch(/"ignore": "\/temperature"/u);
  });

  it("and the call is answered: no mark is left, and the same call replays", async () => {
    await expect.poll(() => bench.badge()).toBe("");
    await bench.screenshot(`ignore-difference-done-${theme}`);
    await bench.openFile(FILE, 4);
    await expect.poll(() => bench.squiggles()).toBe(0);

    await bench.runInTerminal(ASK);

    await expect.poll(() => bench.terminalText()).toMatch(/200 replayed Bye!/u);
    expect(bench.upstream.requests).toBe(0);
    await bench.close();
  });
});
