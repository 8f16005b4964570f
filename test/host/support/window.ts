import type { Locator, Page } from "playwright-core";
import { plain, plainTexts } from "./screen-text.ts";
import { A_WHILE, tryAgain } from "./try-again.ts";

/** The window around the editors: status bar, commands, quick picks, notifications, menus. */
export interface WindowHands {
  readonly statusItem: Locator;
  /** The text of Tapedeck's item, without icons; "" where it is not shown. */
  statusBar(): Promise<string>;
  /** Its background: only what it says about the mode. */
  statusBarKind(): Promise<"plain" | "warning" | "error">;
  clickStatusBar(): Promise<void>;
  /** Runs a command as the command palette lists it: `runCommand("Tapedeck: Select Mode…")`. */
  runCommand(title: string): Promise<void>;
  /** What the palette offers for a text, best first: similar commands and views come too. */
  offeredCommands(text: string): Promise<string[]>;
  /** The rows of the open quick pick. */
  quickPick(): Promise<string[]>;
  /** Chooses the row that has the text. */
  pick(text: string): Promise<void>;
  /** Types into the open quick pick or input box; `{ submit: true }` ends with Enter. */
  type(text: string, options?: { submit?: boolean }): Promise<void>;
  notifications(): Promise<string[]>;
  /** Presses a button of a notification. */
  pressButton(title: string): Promise<void>;
  /** Chooses from the open menu. */
  chooseFromMenu(title: string): Promise<void>;
}

export function windowOf(page: Page): WindowHands {
  const statusItem = page.locator('[id="tapedeck.llm-tapedeck.tapedeck.status"]');
  const quickInput = page.locator(".quick-input-widget");
  const rows = quickInput.locator(".quick-input-list .monaco-list-row");
  const palette = async (text: string) => {
    await page.keyboard.press("F1");
    await quickInput.locator("input[type=text]").first().fill(`>${text}`, A_WHILE);
    await rows.first().waitFor(A_WHILE);
  };
  const closePalette = () => page.keyboard.press("Escape");
  const hands: WindowHands = {
    statusItem,
    statusBar: async () => ((await statusItem.isVisible()) ? plain(await statusItem.innerText()) : ""),
    statusBarKind: async () => {
      const classes = (await statusItem.getAttribute("class")) ?? "";
      if (classes.includes("error-kind")) return "error";
      return classes.includes("warning-kind") ? "warning" : "plain";
    },
    clickStatusBar: () => statusItem.locator("a").first().click(),
    runCommand: (title) =>
      tryAgain(async () => {
        await palette(title);
        await rows.filter({ hasText: title }).first().click(A_WHILE);
      }, closePalette),
    offeredCommands: async (text) => {
      await tryAgain(() => palette(text), closePalette);
      const offered = await plainTexts(rows.locator(".quick-input-list-label .label-name"));
      await page.keyboard.press("Escape");
      return offered;
    },
    quickPick: () => plainTexts(rows),
    pick: (text) => rows.filter({ hasText: text }).first().click(),
    type: async (text, { submit = false } = {}) => {
      await quickInput.locator("input[type=text]").first().fill(text);
      if (submit) await page.keyboard.press("Enter");
    },
    notifications: () => plainTexts(page.locator(".notification-list-item-message")),
    pressButton: (title) =>
      page.locator(".notifications-toasts, .monaco-dialog-box").getByRole("button", { name: title }).click(),
    chooseFromMenu: async (title) => {
      const entry = page.locator(".monaco-menu .action-item").filter({ hasText: title }).first();
      await entry.click();
      // A menu that has just opened takes the button's release for the end of the click that opened it.
      const isClosed = entry.waitFor({ state: "detached", timeout: 1_000 });
      await isClosed.catch(() => entry.click());
    },
  };
  return hands;
}
