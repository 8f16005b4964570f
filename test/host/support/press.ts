import type { Locator } from "playwright-core";
import { eventually } from "./eventually.ts";

/**
 * Clicks until the click was met. VS Code may draw a list anew between the press and the release of the button; the
 * click then reaches neither what was there nor what is there now, and a person clicks again.
 * @throws Error where it is met by nothing for half a minute.
 */
export async function press(target: Locator): Promise<void> {
  await eventually("a click that is met", async () => {
    // An element that is removed meanwhile is looked for again.
    const element = await target.elementHandle({ timeout: 5_000 }).catch(() => null);
    if (element === null) return false;
    const met = await element.evaluateHandle((node) => {
      const seen = { press: false, release: false };
      node.addEventListener("mousedown", () => (seen.press = true), { capture: true, once: true });
      // Some are removed before a click event fires.
      node.addEventListener("mouseup", () => (seen.release = seen.press), { capture: true, once: true });
      return seen;
    });
    await element.click({ timeout: 5_000 }).catch(() => {});
    return met.evaluate(({ release }) => release);
  });
}
