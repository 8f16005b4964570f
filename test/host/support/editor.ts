import type { Locator, Page } from "playwright-core";
import { plain, plainTexts } from "./screen-text.ts";
import { A_WHILE, tryAgain } from "./try-again.ts";
import { press } from "./press.ts";

/** The active editor and what is drawn in it. */
export interface EditorHands {
  /** Opens a file of the workspace, with the cursor in it; `line` counts from 1. */
  openFile(path: string, line?: number): Promise<void>;
  /** The title of the active editor; "" where there is none. */
  editorTitle(): Promise<string>;
  /** The lines in sight. */
  editorText(): Promise<string>;
  /** The lines in sight of the output that is shown. */
  logText(): Promise<string>;
  /** The lenses in sight, top down. Puts the focus into the editor first. */
  lenses(): Promise<string[]>;
  /** Of several, the lowest: the test's, not that of its suite or file, which may be scrolled out of sight. */
  clickLens(text: string): Promise<void>;
  /** How many ranges are marked as errors. */
  squiggles(): Promise<number>;
  /** The rows of the Problems view, which it opens. */
  problems(): Promise<string[]>;
  /** The quick fixes at the cursor; they stay open for `chooseFix`. */
  quickFixes(): Promise<string[]>;
  chooseFix(text: string): Promise<void>;
}

export function editorOf(page: Page): EditorHands {
  const editor = page.locator(".editor-group-container.active .monaco-editor[role=code]").first();
  const tab = page.locator(".editor-group-container.active .tab.active");
  const lens = page.locator(".codelens-decoration a");
  const fixes = page.locator(".action-widget .monaco-list-row.action");
  const title = async () =>
    (await tab.count()) > 0 ? plain((await tab.first().innerText()).replaceAll("\n", "")) : "";
  return {
    openFile: async (path, line) => {
      const name = path.split("/").at(-1) ?? path;
      const opened = page.locator(".editor-group-container.active .tab.active").filter({ hasText: name });
      await tryAgain(
        async () => {
          await page.keyboard.press("Control+P");
          const asked = page.locator(".quick-input-widget input[type=text]").first();
          await asked.fill(line ? `${path}:${line}` : path, A_WHILE);
          const files = page.locator(".quick-input-list .monaco-list-row").filter({ hasText: name });
          await files.first().click(A_WHILE);
          await asked.waitFor({ state: "hidden", ...A_WHILE });
          await opened.waitFor(A_WHILE);
        },
        () => page.keyboard.press("Escape"),
      );
      await editor.locator(".view-line").first().waitFor();
    },
    editorTitle: title,
    editorText: () => linesOf(editor),
    logText: () => linesOf(page.locator(".output-view")),
    // An editor that loses the focus drops the request for lenses that it had scheduled, and asks again when it gets
    // the focus back or a provider announces a change. So reading them means looking into the editor.
    lenses: async () => {
      if (!((await editor.getAttribute("class")) ?? "").includes("focused"))
        await page.keyboard.press("Control+1");
      return plainTexts(lens);
    },
    clickLens: (text) =>
      tryAgain(async () => {
        // Elements, not places in a list: of lenses that come meanwhile none is meant.
        const found = await lens.filter({ hasText: text, visible: true }).elementHandles();
        const tops = await Promise.all(found.map(async (one) => (await one.boundingBox())?.y ?? -1));
        const lowest = found[tops.indexOf(Math.max(...tops))];
        // VS Code acts where the button is released, on whichever drawing of the lens: no `press`, which would be twice.
        await (lowest ?? lens.filter({ hasText: text }).first()).click(A_WHILE);
      }),
    squiggles: () => editor.locator(".squiggly-error").count(),
    problems: async () => {
      const panel = page.locator(".markers-panel-container");
      if (!(await panel.isVisible())) await page.keyboard.press("Control+Shift+M");
      await panel.waitFor();
      return plainTexts(panel.locator(".monaco-list-row"));
    },
    quickFixes: async () => {
      await page.keyboard.press("Control+Period");
      await fixes.first().waitFor();
      return plainTexts(fixes);
    },
    chooseFix: (text) => press(fixes.filter({ hasText: text }).first()),
  };
}

/** The lines of an editor that are in sight, top down. */
function linesOf(shown: Locator): Promise<string> {
  return shown.locator(".view-line").evaluateAll((lines) =>
    lines
      .map((line) => ({
        top: Number.parseFloat((line as HTMLElement).style.top),
        text: line.textContent ?? "",
      }))
      .sort((a, b) => a.top - b.top)
      .map(({ text }) => text.replaceAll("\u00A0", " ").trimEnd())
      .join("\n"),
  );
}
