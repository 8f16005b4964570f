import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootDir } from "../../../scripts/host/paths.mjs";
import { openWorkbench } from "../support/open-workbench.ts";
import { pictures } from "./pictures.ts";

/** The walkthrough has half of a window for its pictures. */
const SIZES = { screenshots: { width: 1280, height: 800 }, walkthrough: { width: 860, height: 560 } };

describe.each(["light", "dark"] as const)("pictures, %s", (theme) => {
  it.each(pictures)("$name", async ({ name, folder, show }) => {
    const bench = await openWorkbench({
      theme,
      size: SIZES[folder],
      pictures: join(rootDir, "media", folder),
    });

    await show(bench);

    expect(await bench.screenshot(`${name}-${theme}`)).toContain(name);
    await bench.close();
  });
});
