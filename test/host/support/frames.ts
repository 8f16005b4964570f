import type { Frame, Page } from "playwright-core";
import { expect } from "vitest";

/** The page of a panel that shows this: frames within frames of the window. */
export async function frameWith(page: Page, selector: string): Promise<Frame> {
  let found: Frame | undefined;
  await expect
    .poll(async () => {
      for (const frame of page.frames())
        if (
          await frame
            .locator(selector)
            .count()
            .catch(() => 0)
        )
          found = frame;
      return found !== undefined;
    })
    .toBe(true);
  if (found === undefined) throw new Error(`no page shows ${selector}`);
  return found;
}
