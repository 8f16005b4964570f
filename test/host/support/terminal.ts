import type { Page } from "playwright-core";
import { eventually } from "./eventually.ts";
import { plain } from "./screen-text.ts";

export interface TerminalHands {
  /** Types a line of ASCII into the integrated terminal, which it opens: other letters may be overtaken by later ones. */
  runInTerminal(line: string): Promise<void>;
  /** Does so, and waits until the shell asks for the next line: test runners draw their sum while they still run. */
  finishInTerminal(line: string): Promise<void>;
  /** The lines in sight of the terminal that is shown. */
  terminalText(): Promise<string>;
}

/** A last line as shells end their prompts. */
const PROMPT = /[#$%>]$/u;

export function terminalOf(page: Page): TerminalHands {
  const shown = page.locator(".terminal-wrapper.active");
  const screen = shown.locator(".xterm-rows");
  const text = async () => {
    if ((await screen.count()) === 0) return "";
    const lines = await screen.first().locator("> div").allInnerTexts();
    return lines.map(plain).join("\n").trim();
  };
  const hands: TerminalHands = {
    finishInTerminal: async (line) => {
      await hands.runInTerminal(line);
      await eventually(`an end of ${line}`, async () => PROMPT.test(await text()));
    },
    runInTerminal: async (line) => {
      if (!(await shown.isVisible())) await page.keyboard.press("Control+Backquote");
      await shown.waitFor();
      // The shell's prompt: what is typed before it may be lost.
      await page.waitForFunction(() => /\S/.test(document.querySelector(".xterm-rows")?.textContent ?? ""));
      const typed = line.replaceAll(/\s/gu, "");
      const times = async () => (await text()).replaceAll(/\s/gu, "").split(typed).length;
      const before = await times();
      await eventually(`typed in the terminal: ${line}`, async () => {
        await shown.click();
        // At once: what is typed is drawn letter by letter. The terminal takes no text while a key is down, and of one
        // that led out of it, as F1 does, it never saw the end.
        await page.keyboard.press("Shift");
        await page.keyboard.insertText(line);
        // VS Code starts a terminal anew whose environment changed before it was used, and may move the focus.
        for (let looks = 0; looks < 50; looks += 1) {
          if ((await times()) > before) return true;
          await page.waitForTimeout(100);
        }
        // One that was hidden may come back scrolled away from its end, and follows it only from another line on.
        await page.keyboard.press("Control+C");
        await page.keyboard.press("Shift+End");
        return false;
      });
      await page.keyboard.press("Enter");
    },
    terminalText: text,
  };
  return hands;
}
