import { join } from "node:path";
import { afterAll, afterEach } from "vitest";
import { resultsDir } from "../../../scripts/host/paths.mjs";
import { closeAll, openBenches } from "./open-workbench.ts";

afterEach(async ({ task }) => {
  if (task.result?.state !== "fail") return;
  const name = task.name.replaceAll(/[^a-z0-9]+/gi, "-");
  for (const { page } of openBenches())
    await page.screenshot({ path: join(resultsDir, `failed-${name}.png`) });
});

afterAll(closeAll);
