import type { Page } from "playwright-core";
import { plain, plainTexts } from "./screen-text.ts";

/** Tapedeck's view in the sidebar. */
export interface ViewHands {
  /** Shows the view; does nothing where it is shown. */
  openView(): Promise<void>;
  /** The rows in sight, two spaces of indent a level: label, then description after two spaces. */
  treeRows(): Promise<string[]>;
  /** The same rows as a screen reader hears them. */
  spokenRows(): Promise<string[]>;
  /** Opens or closes a group, or opens what a row stands for. */
  clickRow(text: string): Promise<void>;
  /** Presses one of a row's inline buttons, by its title. */
  pressRowButton(text: string, title: string): Promise<void>;
  /** Opens a row's context menu and gives its entries. */
  rowMenu(text: string): Promise<string[]>;
  /** Presses a button in the view's title. */
  pressViewButton(title: string): Promise<void>;
  /** What the view says while it is empty. */
  welcome(): Promise<string>;
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
    clickRow: (text) => row(text).click(),
    pressRowButton: async (text, title) => {
      await row(text).hover();
      await row(text).getByRole("button", { name: title }).click();
    },
    rowMenu: async (text) => {
      await row(text).click({ button: "right" });
      const entries = page.locator(".monaco-menu .action-item .action-label[aria-label]");
      await entries.first().waitFor();
      return (await plainTexts(entries)).filter(Boolean);
    },
    pressViewButton: async (title) => {
      // The title of the only view of a container is the container's.
      await view.hover();
      await page.locator(".part.sidebar").getByRole("button", { name: title }).first().click();
    },
    welcome: async () => (await plainTexts(view.locator(".welcome-view-content"))).join("\n"),
    badge: async () => (await plainTexts(icon.locator(".badge-content"))).join(""),
  };
}
