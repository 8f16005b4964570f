import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { frameWith } from "../support/frames.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { hindrances } from "./pages.ts";

const PICTURES = process.env["TEST_PICTURES"] ?? join("test-results", "screenshots");
const THEMES = [
  ["light", "Light Modern"],
  ["dark", "Dark Modern"],
  ["contrast", "Default High Contrast"],
  ["contrast-light", "Default High Contrast Light"],
] as const;
const SIZES = [
  ["wide", { width: 1_440, height: 1_000 }],
  ["narrow", { width: 449, height: 1_000 }],
] as const;

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ pictures: PICTURES });
});

/** The page, once recordings were read. */
const overview = () => frameWith(bench.page, "#part-recordings");

describe("the overview of a workspace", () => {
  it("says what a run replayed and what recording again would take", async () => {
    await bench.finishInTerminal("npx vitest run tests/replies.test.ts");
    await bench.page.keyboard.press("Control+j");
    await bench.runCommand("Tapedeck: Show Overview");

    const page = await overview();
    await expect.poll(() => page.getByText("Last 30 days").count()).toBe(1);
    await expect.poll(() => page.locator(".facts").first().innerText()).toMatch(/\d replayed/u);
    expect(await page.getByRole("region", { name: "Recordings" }).innerText()).toMatch(
      /Recordings\n\d+\n[\d.]+ [KM]B on disk/u,
    );
  });

  it("can be read in every theme, wide and narrow, and hinders nobody", async () => {
    await bench.page.keyboard.press("Control+b");
    for (const [size, viewport] of SIZES) {
      await bench.page.setViewportSize(viewport);
      for (const [name, theme] of THEMES) {
        bench.set({ "workbench.colorTheme": theme });
        const page = await overview();
        await expect.poll(() => page.evaluate(() => document.body.dataset["vscodeThemeId"])).toBe(theme);
        await bench.screenshot(`overview-${name}-${size}`);
        expect([name, size, await hindrances(page)]).toEqual([name, size, []]);
      }
    }
    bench.set({ "workbench.colorTheme": "Light Modern" });
    await bench.page.setViewportSize(SIZES[0][1]);
  });

  it("leads from a model to its calls in the view, and from a run to its timeline", async () => {
    const page = await overview();
    await page.locator("tbody th button").filter({ hasText: "gpt-4o-mini" }).click();
    await expect.poll(() => bench.treeRows().then((rows) => rows[0])).toMatch(/Recordings {2}\d+ of \d+/u);

    await page.getByRole("region", { name: "Runs" }).locator("tbody button").first().click();
    expect(await (await frameWith(bench.page, "tr.call")).locator("tr.call").count()).toBeGreaterThan(0);
  });

  it("is there again after the window was loaded anew", async () => {
    await bench.page.locator(".tab").filter({ hasText: "Overview" }).first().click();
    await overview();
    await bench.reload();

    const page = await overview();
    await expect.poll(() => page.locator(".facts").first().innerText()).toMatch(/\d replayed/u);
  });
});
