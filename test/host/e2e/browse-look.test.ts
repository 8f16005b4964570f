import { describe, expect, it } from "vitest";
import { openWorkbench } from "../support/open-workbench.ts";
import { aWorkspaceToBrowse } from "./browse-workspace.ts";

describe("look", () => {
  for (const theme of ["light", "dark"] as const)
    it(`in ${theme}`, async () => {
      const bench = await openWorkbench({ workspace: await aWorkspaceToBrowse(), theme, size: { width: 1400, height: 900 } });
      await bench.openView();
      await expect.poll(() => bench.treeRows()).not.toEqual([]);
      await bench.runInTerminal('node ask.mjs "Say hi in one word" 0.7; node ask.mjs "What is the capital of France?"');
      await expect.poll(() => bench.treeRows()).toContain("Missing  2");
      for (const row of ["tests/chat.test.ts", "thinks first", "uses a tool", "looks at"]) await bench.clickRow(row);
      await bench.clickRow("answers in one word  ");
      console.log((await bench.treeRows()).join("\n"));
      await bench.clickRow("Is 9.11");
      await bench.page.waitForTimeout(3000);
      await bench.screenshot(`look-${theme}-1`);
      await bench.clickRow("Say hi in one word");
      await bench.page.waitForTimeout(2000);
      await bench.screenshot(`look-${theme}-2`);
      await bench.clickRow("What is the weather");
      await bench.page.waitForTimeout(2000);
      await bench.screenshot(`look-${theme}-3`);
      await bench.pressRowButton("Say hi in one word", "Compare with the Nearest");
      await bench.page.waitForTimeout(2500);
      await bench.screenshot(`look-${theme}-4`);
      console.log(await bench.spokenRows());
      await bench.close();
    });
});
