import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { rootDir } from "../../../scripts/host/paths.mjs";
import { openWorkbench } from "../support/open-workbench.ts";
import { pictures, type Part } from "./pictures.ts";

/** The walkthrough shows its pictures in half of a window. */
const SIZES = { screenshots: { width: 1280, height: 800 }, walkthrough: { width: 960, height: 600 } };

/** Device pixels per CSS pixel, for screens with a high resolution. */
const SCALE = 2;

/** `scripts/screenshots.mjs` installs both: FreeMono has the few glyphs of test runners that the first one lacks. */
const FONT = "'JetBrains Mono', FreeMono, monospace";
const SETTINGS = {
  "editor.occurrencesHighlight": "off",
  "editor.fontFamily": FONT,
  "editor.fontSize": 13,
  "terminal.integrated.fontFamily": FONT,
  "terminal.integrated.fontSize": 12,
};

describe.each(["light", "dark"] as const)("pictures, %s", (theme) => {
  it.each(pictures)("$name", async ({ name, folder, parts, height, show }) => {
    const bench = await openWorkbench({ theme, size: SIZES[folder], scale: SCALE, settings: SETTINGS });

    await show(bench);
    const path = join(rootDir, "media", folder, `${name}-${theme}.png`);
    const around = await rectangleAround(bench.page, parts);
    const clip = { ...around, height: Math.min(height ?? around.height, around.height) };
    const picture = await bench.page.screenshot({ path, clip });

    expect(picture.length).toBeGreaterThan(10_000);
    await bench.close();
  });
});

async function rectangleAround(page: Page, parts: readonly Part[]) {
  const found = await Promise.all(parts.map((part) => page.locator(`.part.${part}`).boundingBox()));
  const boxes = found.filter((box) => box !== null);
  const x = Math.min(...boxes.map((box) => box.x));
  const y = Math.min(...boxes.map((box) => box.y));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(...boxes.map((box) => box.y + box.height));
  return { x, y, width: right - x, height: bottom - y };
}
