import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { frameWith } from "../support/frames.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { hindrances } from "./pages.ts";

const PICTURES = process.env["TEST_PICTURES"] ?? join("test-results", "screenshots");
const FILE = "tests/replies.test.ts";
const THEMES = [
  ["light", "Light Modern"],
  ["dark", "Dark Modern"],
  ["contrast", "Default High Contrast"],
  ["contrast-light", "Default High Contrast Light"],
] as const;

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ pictures: PICTURES });
});

const timeline = () => frameWith(bench.page, "tr.call");

describe("the timeline of a test", () => {
  it("opens from the test's lens after a run, with a bar for each of its calls", async () => {
    await bench.finishInTerminal(`npx vitest run ${FILE}`);
    await bench.page.keyboard.press("Control+j");
    await bench.openFile(FILE, 20);
    const lenses = async () => (await bench.lenses()).filter((title) => title === "Timeline");
    await expect.poll(lenses).toHaveLength(2);
    await bench.clickLens("Timeline");

    const page = await timeline();
    await expect.poll(() => page.locator("tr.call .picture .bar").count()).toBeGreaterThan(0);
    // Both turns have the same request: their answers distinguish them.
    await expect
      .poll(() => page.locator("tr.call button.label").allInnerTexts().then(String))
      .toMatch(
        /Where is my order A-1042\?\s*→ look_up_order\(A-1042\)[^]*Where is my order A-1042\?\s*→ "Here is/u,
      );
    expect(await page.getByRole("heading", { level: 1 }).innerText()).toContain("strict");
  });

  it("is readable and accessible in every theme", async () => {
    for (const [name, theme] of THEMES) {
      bench.set({ "workbench.colorTheme": theme });
      const page = await timeline();
      await expect.poll(() => page.evaluate(() => document.body.dataset["vscodeThemeId"])).toBe(theme);
      await page.locator("tr.call button").first().focus();
      await bench.screenshot(`timeline-${name}`);
      expect([name, await hindrances(page)]).toEqual([name, []]);
    }
    bench.set({ "workbench.colorTheme": "Light Modern" });
  });

  it("leads from a bar to the recording's document", async () => {
    const page = await timeline();
    const label = await page.locator("tr.call .title").first().innerText();
    await page.locator("tr.call .picture").first().click();

    await expect.poll(() => bench.editorTitle()).toContain(label.slice(0, 20));
    await expect.poll(() => bench.editorText()).toContain("── user ─");
  });

  it("draws the calls of a run as they arrive, and its end", async () => {
    await bench.page.keyboard.press("Control+j");
    await bench.runCommand("Tapedeck: Show Timeline");
    const page = await timeline();
    await bench.runInTerminal("npm test");
    await expect.poll(() => page.getByText("running").count()).toBe(1);

    await expect.poll(() => page.locator("tr.call").count()).toBe(8);
    await expect.poll(() => page.getByText("running").count()).toBe(0);
    await expect.poll(() => page.locator("header").innerText()).toMatch(/failed[^]*6 replayed[^]*2 missed/u);
  });

  it("is restored after the window was reloaded", async () => {
    await bench.page.locator(".tab").filter({ hasText: "Timeline" }).first().click();
    await timeline();
    await bench.reload();

    const page = await timeline();
    await expect.poll(() => page.locator("tr.call").count()).toBeGreaterThan(0);
  });
});
