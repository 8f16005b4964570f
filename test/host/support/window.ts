import type { Locator, Page } from "playwright-core";
import { plain, plainTexts } from "./screen-text.ts";
import { eventually } from "./eventually.ts";
import { press } from "./press.ts";
import { A_WHILE, tryAgain } from "./try-again.ts";

/** The window around the editors: status bar, commands, quick picks, notifications, menus. */
export interface WindowHands {
  readonly statusItem: Locator;
  /** The text of Tapedeck's item, without icons; "" where it is not shown. */
  statusBar(): Promise<string>;
  /** The background color, which depends on the mode. */
  statusBarKind(): Promise<"plain" | "warning" | "error">;
  clickStatusBar(): Promise<void>;
  /** Runs a command as the command palette lists it: `runCommand("Tapedeck: Select Mode…")`. */
  runCommand(title: string): Promise<void>;
  /** Returns the palette's entries for a text, best first; similar commands and views are included. */
  offeredCommands(text: string): Promise<string[]>;
  /** The rows of the open quick pick; none where it is closed. */
  quickPick(): Promise<string[]>;
  /** Chooses the row whose label begins with the text, because "Test" also occurs inside other labels. */
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
    clickStatusBar: () => press(statusItem.locator("a").first()),
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
    quickPick: async () => ((await quickInput.isVisible()) ? plainTexts(rows) : []),
    pick: (text) =>
      press(rows.filter({ has: page.locator(".label-name", { hasText: begins(text) }) }).first()),
    type: async (text, { submit = false } = {}) => {
      await quickInput.locator("input[type=text]").first().fill(text);
      if (submit) await page.keyboard.press("Enter");
    },
    notifications: () => plainTexts(page.locator(".notification-list-item-message")),
    pressButton: (title) =>
      press(
        page
          .locator(".notifications-toasts, .monaco-dialog-box")
          .getByRole("button", { name: title })
          .first(),
      ),
    chooseFromMenu: async (title) => {
      // The items of a submenu are in the entry's element, beside the entry's own.
      const entry = page.locator(".monaco-menu .action-menu-item").filter({ hasText: title }).first();
      await entry.click();
      await eventually("a menu that closes", async () => {
        const closed = entry.waitFor({ state: "detached", timeout: 1_000 });
        const isClosed = await closed.then(
          () => true,
          () => false,
        );
        // A menu that has just opened takes the button's release for the end of the click that opened it.
        if (!isClosed) await entry.click({ timeout: 1_000 }).catch(() => {});
        return isClosed;
      });
    },
  };
  return hands;
}

/** Matches a label that begins with the text, after any icon or blank. */
function begins(text: string): RegExp {
  return new RegExp(String.raw`^\W*${text.replaceAll(/[$()*+.?[\\\]^{|}]/gu, String.raw`\$&`)}`, "u");
}
