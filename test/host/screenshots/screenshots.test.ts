import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rootDir } from "../../../scripts/host/paths.mjs";
import { openWorkbench } from "../support/open-workbench.ts";
import { pictures } from "./pictures.ts";

describe.each(["light", "dark"] as const)("pictures, %s", (theme) => {
  it.each(pictures)("$name", async ({ name, show }) => {
    const bench = await openWorkbench({
      theme,
      size: { width: 1280, height: 800 },
      pictures: join(rootDir, "media", "screenshots"),
    });

    await show(bench);

    expect(await bench.screenshot(`${name}-${theme}`)).toContain(name);
    await bench.close();
  });
});
