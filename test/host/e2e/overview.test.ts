import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const PICTURES = process.env["TEST_PICTURES"] ?? join("test-results", "screenshots");
const THEMES = [
  ["light", "Light Modern"],
  ["dark", "Dark Modern"],
  ["contrast", "Default High Contrast"],
] as const;

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ pictures: PICTURES });
});

/** Ctrl+click on the first link with this text. */
async function followLink(text: string): Promise<void> {
  const { page } = bench;
  const link = page.locator(".view-line", { hasText: text }).locator(".detected-link").first();
  const { x, y } = (await link.boundingBox()) ?? { x: 0, y: 0 };
  await page.keyboard.down("ControlOrMeta");
  await page.mouse.move(x + 20, y + 8, { steps: 5 });
  await page.locator(".detected-link-active").first().waitFor();
  await page.mouse.click(x + 20, y + 8);
  await page.keyboard.up("ControlOrMeta");
}

describe("the overview of a workspace", () => {
  it("shows what a run replayed", async () => {
    await bench.finishInTerminal("npx vitest run tests/replies.test.ts");
    await bench.page.keyboard.press("Control+j");
    await bench.runCommand("Tapedeck: Show Overview");

    await expect.poll(() => bench.editorText()).toMatch(/Last 30 days, 1 run: \d+ replayed/u);
    const text = await bench.editorText();
    expect(text).toContain("── by model ───");
  });

  it("can be read in every theme", async () => {
    await bench.page.keyboard.press("Control+b");
    for (const [name, theme] of THEMES) {
      bench.set({ "workbench.colorTheme": theme });
      await expect
        .poll(() => bench.page.locator(".monaco-workbench").getAttribute("class"))
        .toMatch(name.startsWith("contrast") ? /hc-black/u : name === "dark" ? /vs-dark/u : / vs /u);
      await bench.screenshot(`overview-${name}`);
    }
    bench.set({ "workbench.colorTheme": "Light Modern" });
  });

  it("leads from a model to its calls in the view, and from a run to its timeline", async () => {
    await followLink("openai");
    await expect.poll(() => bench.treeRows().then((rows) => rows[0])).toMatch(/Recordings {2}\d+ of \d+/u);

    await followLink("strict");
    await expect.poll(() => bench.editorText()).toContain("Times of this run");
  });
});
