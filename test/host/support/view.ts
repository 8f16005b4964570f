import type { Locator, Page } from "playwright-core";
import { eventually } from "./eventually.ts";
import { press } from "./press.ts";
import { plain, plainTexts } from "./screen-text.ts";

/** Tapedeck's view in the sidebar. */
export interface ViewHands {
  /** Shows the view; does nothing where it is shown. */
  openView(): Promise<void>;
  /** The rows in sight, two spaces of indent a level: label, then description after two spaces. */
  treeRows(): Promise<string[]>;
  /** The same rows as a screen reader reads them. */
  spokenRows(): Promise<string[]>;
  /** Opens or closes a group, or opens a row's document. */
  clickRow(text: string): Promise<void>;
  /** Presses one of a row's inline buttons, by its title. */
  pressRowButton(text: string, title: string): Promise<void>;
  /** Opens a row's context menu and gives its entries. */
  rowMenu(text: string): Promise<string[]>;
  /** Presses a button in the view's title. */
  pressViewButton(title: string): Promise<void>;
  /** The text of the empty view. */
  welcome(): Promise<string>;
  /** The message above the rows; "" if there is none. */
  viewMessage(): Promise<string>;
  /** The number on the activity bar's icon; "" where there is none. */
  badge(): Promise<string>;
}

export function viewOf(page: Page): ViewHands {
  const view = page.locator('[id="workbench.view.extension.tapedeck"]');
  const rows = view.locator(".monaco-list-row");
  const row = (text: string) => rows.filter({ hasText: text }).first();
  const icon = page
    .locator(".activitybar .action-item")
    .filter({ has: page.locator('[aria-label^="Tapedeck"]') });
  return {
    openView: async () => {
      if (!(await view.isVisible())) await icon.first().click();
      await view.waitFor();
    },
    treeRows: () =>
      rows.evaluateAll((elements) =>
        elements
          .map((element) => {
            const text = (selector: string) => element.querySelector(selector)?.textContent ?? "";
            const level = Number(element.getAttribute("aria-level") ?? 1) - 1;
            const parts = [text(".label-name"), text(".label-description")].filter(Boolean);
            const top = (element as HTMLElement).offsetTop;
            return { top, line: "  ".repeat(level) + parts.join("  ").replaceAll("\u00A0", " ") };
          })
          .sort((a, b) => a.top - b.top)
          .map(({ line }) => line),
      ),
    spokenRows: async () =>
      (
        await rows.evaluateAll((elements) =>
          elements.map((element) => element.getAttribute("aria-label") ?? ""),
        )
      ).map(plain),
    clickRow: (text) => clickUntilSeen(row(text)),
    pressRowButton: async (text, title) => {
      await row(text).hover();
      await press(row(text).getByRole("button", { name: title }));
    },
    rowMenu: async (text) => {
      const entries = page.locator(".monaco-menu .action-item .action-label[aria-label]");
      // Rows that move under the mouse give another row's menu; the row that has it is the focused one.
      await eventually(`the menu of "${text}"`, async () => {
        await row(text).click({ button: "right" });
        await entries.first().waitFor();
        const isItsOwn = (await rows.and(page.locator(".focused")).filter({ hasText: text }).count()) > 0;
        if (!isItsOwn) await page.keyboard.press("Escape");
        return isItsOwn;
      });
      return (await plainTexts(entries)).filter(Boolean);
    },
    pressViewButton: async (title) => {
      // The title of the only view of a container is the container's.
      await view.hover();
      await press(page.locator(".part.sidebar").getByRole("button", { name: title }).first());
    },
    welcome: async () => (await plainTexts(view.locator(".welcome-view-content"))).join("\n"),
    viewMessage: async () =>
      (await plainTexts(view.locator(".tree-explorer-viewlet-tree-view .message"))).join("\n"),
    badge: async () => (await plainTexts(icon.locator(".badge-content"))).join(""),
  };
}

/**
 * As `press`, for rows: one that is drawn anew may stand for another entry when the button is released. That the click
 * was met is seen at once: a group opens or closes, any other row is selected.
 */
async function clickUntilSeen(row: Locator): Promise<void> {
  const before = await row.getAttribute("aria-expanded");
  await eventually("a click that the row met", async () => {
    await row.click();
    return isMet(row, before);
  });
}

/** Undefined while neither; a few looks, since the row may just be drawn. */
async function isMet(row: Locator, expandedBefore: string | null): Promise<boolean> {
  const isGroup = expandedBefore !== null;
  for (let look = 0; look < LOOKS; look += 1) {
    const [attribute, wanted] = isGroup
      ? ["aria-expanded", expandedBefore === "true" ? "false" : "true"]
      : ["aria-selected", "true"];
    if ((await row.getAttribute(attribute)) === wanted) return true;
    await row.page().evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  }
  return false;
}

/** Frames of the workbench: VS Code marks a row in the frame of its click. */
const LOOKS = 60;
