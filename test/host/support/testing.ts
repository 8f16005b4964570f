import type { Page } from "playwright-core";
import { plainTexts } from "./screen-text.ts";
import { press } from "./press.ts";

/** The Test Explorer and its results, and the menus around an editor's lines. */
export interface TestingHands {
  /** Opens a test's line by its titles, outermost first: the lines of the explorer unfold one after the other. */
  unfoldTest(...titles: readonly string[]): Promise<void>;
  /** Presses the button that runs the test of a line. */
  runExplorerTest(title: string): Promise<void>;
  /** How a line's state is spoken, e.g. "… (Failed)". */
  explorerState(title: string): Promise<string>;
  /** Opens a line's context menu and gives its entries. */
  explorerMenu(title: string): Promise<string[]>;
  /** Opens the context menu of a test in the results, or of one of its messages, and gives its entries. */
  messageMenu(text: string): Promise<string[]>;
  /** Opens the context menu of the icon beside a line with a test, and gives its entries; none where no icon is drawn. */
  gutterMenu(line: number): Promise<string[]>;
  /** Opens the context menu of a line's number, and gives its entries. */
  lineNumberMenu(line: number): Promise<string[]>;
  /** Opens the context menu of the text at the cursor, and gives its entries. */
  editorMenu(): Promise<string[]>;
}

export function testingOf(page: Page): TestingHands {
  const explorer = page.locator(".test-explorer");
  const row = (title: string) =>
    explorer
      .locator(".monaco-list-row")
      .filter({ has: page.getByText(title, { exact: true }) })
      .first();
  const entries = page.locator(".monaco-menu .action-item .action-label[aria-label]");
  const opened = async (): Promise<string[]> => {
    await entries.first().waitFor();
    return (await plainTexts(entries)).filter(Boolean);
  };
  const glyphLine = async (line: number) => {
    const number = page
      .locator(".editor-group-container.active .line-numbers")
      .getByText(String(line), { exact: true });
    return (await number.first().boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  };
  return {
    unfoldTest: async (...titles) => {
      for (const title of titles) {
        await row(title).waitFor();
        if ((await row(title).getAttribute("aria-expanded")) !== "false") continue;
        await press(row(title));
        await page.keyboard.press("ArrowRight");
      }
    },
    runExplorerTest: async (title) => {
      await row(title).hover();
      await press(row(title).getByRole("button", { name: /^Run Test/u }));
    },
    explorerState: async (title) => (await row(title).getAttribute("aria-label")) ?? "",
    explorerMenu: async (title) => {
      await row(title).click({ button: "right" });
      return opened();
    },
    messageMenu: async (text) => {
      const message = page.locator(".test-output-peek-tree .monaco-list-row").filter({ hasText: text });
      await message.first().click({ button: "right" });
      return opened();
    },
    gutterMenu: async (line) => {
      const { y, height } = await glyphLine(line);
      const glyphs = page.locator(".editor-group-container.active .testing-run-glyph");
      for (const glyph of await glyphs.all()) {
        const box = await glyph.boundingBox();
        if (!box || Math.abs(box.y + box.height / 2 - y - height / 2) > height / 2) continue;
        await glyph.click({ button: "right" });
        return opened();
      }
      return [];
    },
    lineNumberMenu: async (line) => {
      const { x, y, width, height } = await glyphLine(line);
      await page.mouse.click(x + width - 3, y + height / 2, { button: "right" });
      return opened();
    },
    editorMenu: async () => {
      await page.keyboard.press("Shift+F10");
      return opened();
    },
  };
}
