import { expect, it } from "vitest";
import { openWorkbench } from "../support/open-workbench.ts";
it("try", async () => {
  const bench = await openWorkbench();
  await bench.openView();
  await expect.poll(() => bench.treeRows()).not.toEqual([]);
  console.log(await bench.treeRows(), await bench.spokenRows());
  await bench.runInTerminal("npm test");
  await expect.poll(() => bench.terminalText(), { timeout: 60000 }).toMatch(/Tests .*passed/);
  console.log(await bench.terminalText());
  await expect.poll(() => bench.statusBar()).toMatch(/2/);
  console.log(await bench.treeRows(), await bench.badge(), bench.upstream.requests, await bench.statusBar());
  console.log(await bench.rowMenu("Cannot log in"));
  await bench.screenshot("try");
});
