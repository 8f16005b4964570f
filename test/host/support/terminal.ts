import type { Page } from "playwright-core";
import { plain } from "./screen-text.ts";

export interface TerminalHands {
  /** Types a line into the integrated terminal, which it opens. */
  runInTerminal(line: string): Promise<void>;
  /** The lines in sight of the terminal that is shown. */
  terminalText(): Promise<string>;
}

export function terminalOf(page: Page): TerminalHands {
  const shown = page.locator(".terminal-wrapper.active");
  const screen = shown.locator(".xterm-rows");
  const text = async () => {
    if ((await screen.count()) === 0) return "";
    const lines = await screen.first().locator("> div").allInnerTexts();
    return lines.map(plain).join("\n").trim();
  };
  return {
    runInTerminal: async (line) => {
      if (!(await shown.isVisible())) await page.keyboard.press("Control+Backquote");
      await shown.waitFor();
      // The shell's prompt: what is typed before it may be lost.
      await page.waitForFunction(() => /\S/.test(document.querySelector(".xterm-rows")?.textContent ?? ""));
      await shown.click();
      await page.keyboard.type(`${line}\n`);
    },
    terminalText: text,
  };
}
