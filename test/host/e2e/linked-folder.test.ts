import { mkdtempSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openWorkbench } from "../support/open-workbench.ts";

const TEST = "tests/classify.test.ts";

it("in a folder that is opened through a link, a missing call is marked on its line", async () => {
  const bench = await openWorkbench();
  const link = join(mkdtempSync(join(tmpdir(), "link-")), "desk");
  symlinkSync(bench.folder, link);
  const address = new URL(bench.page.url());
  address.searchParams.set("folder", link);

  await bench.page.goto(address.href);
  await bench.statusItem.waitFor();
  await bench.runInTerminal(`npx vitest run ${TEST}`);

  await expect.poll(() => bench.problems().then((rows) => rows.join("\n"))).toContain("[Ln 15, Col 5]");
});
