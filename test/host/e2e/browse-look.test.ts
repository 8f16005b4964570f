import { describe, expect, it } from "vitest";
import { openWorkbench } from "../support/open-workbench.ts";
import { aWorkspaceToBrowse } from "./browse-workspace.ts";

describe("look", () => {
  for (const theme of ["light", "dark"] as const)
    it(`in ${theme}`, async () => {
      const bench = await openWorkbench({
        workspace: await aWorkspaceToBrowse(),
        theme,
        size: { width: 1400, height: 900 },
      });
      await bench.openView();
      await expect.poll(() => bench.treeRows()).not.toEqual([]);
      await bench.runInTerminal(
        'node ask.mjs "Say hi in one word" 0.7; node ask.mjs "What is the capital of France?"; clear',
      );
      await expect.poll(() => bench.treeRows()).toContain("Missing  2");
      for (const row of [
        "tests/chat.test.ts",
        "thinks first",
        "uses a tool",
        "looks at",
        "chat › answers in one word",
        "cannot be read",
      ]) {
        await bench.clickRow(row);
        await bench.page.waitForTimeout(700);
        console.log(row, (await bench.treeRows()).map((line) => line.slice(0, 30)).join("|"));
      }
      await bench.clickRow("Is 9.11");
      await expect.poll(() => bench.lenses()).toContain("Open file");
      await bench.page.waitForTimeout(3000);
      await bench.screenshot(`look-${theme}-1`);
      await bench.clickRow("Say hi in one word");
      await expect.poll(() => bench.lenses()).toContain("Record this call");
      await bench.page.waitForTimeout(2000);
      await bench.screenshot(`look-${theme}-2`);
      await bench.clickRow("What colour");
      await expect.poll(() => bench.editorTitle()).toContain("What colour");
      await bench.page.waitForTimeout(2000);
      await bench.screenshot(`look-${theme}-3`);
      await bench.page
        .locator('[id="workbench.view.extension.tapedeck"] .monaco-list-row')
        .filter({ hasText: "Say hi" })
        .first()
        .hover();
      console.log(
        await bench.page
          .locator('[id="workbench.view.extension.tapedeck"] .monaco-list-row')
          .filter({ hasText: "Say hi" })
          .first()
          .innerHTML(),
      );
      await bench.pressRowButton("Say hi in one word", "Compare Missing Call with the Nearest");
      await bench.page.waitForTimeout(2500);
      await bench.screenshot(`look-${theme}-4`);
      console.log(await bench.spokenRows());
      await bench.clickRow(".json");
      await bench.page.waitForTimeout(2500);
      await bench.screenshot(`look-${theme}-5`);
      await bench.page.getByRole("button", { name: "Filter Calls…" }).first().click();
      await bench.type("rain");
      await bench.page.waitForTimeout(2500);
      await bench.screenshot(`look-${theme}-6`);
      await bench.page.keyboard.press("Enter");
      await bench.runCommand("Tapedeck: Open Recording…");
      await bench.type("larger");
      await bench.page.waitForTimeout(2500);
      await bench.screenshot(`look-${theme}-7`);
      await bench.page.keyboard.press("Escape");
      await bench.page.getByRole("button", { name: "Clear Filter" }).first().click();
      await bench.page.waitForTimeout(1000);
      console.log(await bench.rowMenu("Say hi in one word"));
      await bench.screenshot(`look-${theme}-8`);
      await bench.chooseFromMenu("Write the Reply");
      await bench.page.waitForTimeout(2500);
      await bench.screenshot(`look-${theme}-9`);
      await bench.close();
    });
});
