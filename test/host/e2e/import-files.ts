import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Workbench } from "../support/open-workbench.ts";
import { unfold } from "./unfold.ts";
import { press } from "../support/press.ts";
import { A_WHILE, tryAgain } from "../support/try-again.ts";
import { filesBelow } from "../../support/files-below.ts";

const FOLDER = "old/cassettes";
/** A well-formed key, which must never be stored. */
const KEY = "sk-proj-Zq81kdLmQpw72Hs4vTnaZq81kdLmQpw72Hs4vTnaT3BlbkFJZq81kdLmQpw72Hs4vTna";

/** Tests the import of another tool's recordings in a window with the view open. */
export function recordingsAreImported(theBench: () => Workbench): void {
  let bench: Workbench;
  const rows = () => bench.treeRows().then((lines) => lines.join("\n"));
  /** The same without how long ago each was recorded, which goes on. */
  const ageless = () => rows().then((text) => text.replaceAll(/ · (?:now|\d+ (?:s|min|h|d))$/gm, ""));
  const notices = () => bench.notifications().then((all) => all.join("\n"));
  const choose = async (name: string) => {
    await bench.runCommand("Tapedeck: Import Recordings…");
    const dialog = bench.page.locator(".quick-input-widget", { hasText: "import recordings of VCR" });
    await dialog.waitFor();
    // The dialog first shows the folder that it opens in, over whatever is typed before it does.
    await expect.poll(() => bench.quickPick()).toContain("tests");
    await bench.type(`${join(bench.folder, FOLDER)}/`);
    await expect.poll(() => bench.quickPick()).toContain(name);
    await bench.pick(name);
    await dialog.waitFor({ state: "hidden" });
  };

  describe("recordings of another tool", () => {
    beforeAll(async () => {
      bench = theBench();
      mkdirSync(join(bench.folder, FOLDER), { recursive: true });
      writeFileSync(join(bench.folder, FOLDER, "chat.yaml"), CASSETTE);
      writeFileSync(
        join(bench.folder, FOLDER, "second.yaml"),
        cassette(call("Which planet is the largest?")),
      );
      writeFileSync(join(bench.folder, FOLDER, "shopping.yaml"), "milk: 2\n");
      writeFileSync(join(bench.folder, FOLDER, "torn.har"), '{"log": {"entries": [');
      await rememberMessages(bench);
    });

    it("are imported from a file that is picked: with their progress, what was left out, and why", async () => {
      await choose("chat.yaml");

      await expect.poll(notices).toContain("1 call imported into .tapedeck from 1 file, 3 skipped.");
      expect(await notices()).toMatch(
        /Skipped: old\/cassettes\/chat\.yaml, interaction 3 was refused: .*\w\. The log has 2 more reasons\./u,
      );
      expect(await rememberedMessages(bench)).toMatch(/Importing recordings: old\/cassettes\/chat\.yaml/u);
      await bench.screenshots("import-result");
    });

    it("stand in the view at once, and are read like any other", async () => {
      await unfold(bench, "Unknown test", "Which planet is the nearest?");

      await bench.clickRow("Which planet is the nearest?");

      await expect.poll(() => bench.editorText()).toContain("An answer.");
      expect(await bench.editorText()).toContain("openai · chat.completions · gpt-4o-mini");
    });

    it("say what they took, beside the answer's tokens and where the mouse rests on a row", async () => {
      expect(await bench.editorText()).toContain("1000 in, 200 out · about $0.00027");

      const row = bench.page.locator(".monaco-list-row", { hasText: "Which planet is the nearest?" }).first();
      const hover = bench.page.locator(".workbench-hover");
      // A row that is redrawn under the mouse shows no hover until the mouse moves again.
      const rest = async () => {
        await bench.page.mouse.move(700, 600);
        await row.hover();
        await hover.waitFor(A_WHILE);
        return (await hover.innerText()).replaceAll("\u00a0", " ");
      };
      await expect.poll(() => tryAgain(rest)).toContain("about $0.00027");
      await bench.screenshot("cost");
    });

    it("bring no secret along", () => {
      const calls = join(bench.folder, ".tapedeck");
      const texts = filesBelow(calls).map((file) => readFileSync(join(calls, file), "utf8"));

      expect(texts.filter((text) => text.includes(KEY.slice(8, 40)))).toEqual([]);
      expect(texts.some((text) => text.includes("Which planet is the nearest?"))).toBe(true);
    });

    it("are imported from the explorer, with a word about those that are there already", async () => {
      await dismissMessages(bench);
      await bench.page.keyboard.press("Control+Shift+E");
      const item = (name: string) =>
        bench.page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
      await unfoldInExplorer(bench, ["old", "cassettes"]);
      await press(item("chat.yaml"));
      await item("second.yaml").click({ modifiers: ["ControlOrMeta"] });
      await item("second.yaml").click({ button: "right" });
      await bench.chooseFromMenu("Import Recordings…");

      await expect
        .poll(notices)
        .toContain("1 call imported into .tapedeck from 2 files, 1 already recorded, 3 skipped.");
      await bench.openView();
      await expect.poll(rows).toContain("Which planet is the largest?");
    });

    it.each([
      ["shopping.yaml", "contains no recordings in a known format"],
      ["torn.har", "is not JSON"],
    ])("are not found in %s, and the message reports it", async (file, reason) => {
      await dismissMessages(bench);
      const before = await ageless();

      await choose(file);

      await expect.poll(notices).toContain(`Nothing was imported. Skipped: ${FOLDER}/${file} ${reason}`);
      expect(await ageless()).toBe(before);
      await bench.screenshots(`import-${file.split(".")[0]}`);
    });
  });
}

/** Messages go by themselves: every text that any of them has is kept in the page. */
async function rememberMessages({ page }: Workbench): Promise<void> {
  await page.evaluate(() => {
    const texts: string[] = [];
    Object.assign(window, { shownMessages: texts });
    const look = (): void => {
      for (const message of document.querySelectorAll(".notification-list-item-message"))
        if (!texts.includes(message.textContent ?? "")) texts.push(message.textContent ?? "");
    };
    new MutationObserver(look).observe(document.body, {
      childList: true,
      subtree: true,
      characterData: true,
    });
  });
}

function rememberedMessages({ page }: Workbench): Promise<string> {
  return page.evaluate(() => (window as unknown as { shownMessages: string[] }).shownMessages.join("\n"));
}

async function dismissMessages(bench: Workbench): Promise<void> {
  await bench.runCommand("Notifications: Clear All Notifications");
  await expect.poll(() => bench.notifications()).toEqual([]);
}

async function unfoldInExplorer({ page }: Workbench, folders: readonly string[]): Promise<void> {
  for (const folder of folders) {
    const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: folder }).first();
    await row.waitFor();
    if ((await row.getAttribute("aria-expanded")) === "false") await row.click();
  }
}

function call(question: string, { url = "https://api.openai.com", answer = "An answer." } = {}): string {
  const asked = { model: "gpt-4o-mini", messages: [{ role: "user", content: question }] };
  const choice = { index: 0, message: { role: "assistant", content: answer }, finish_reason: "stop" };
  const usage = { prompt_tokens: 1000, completion_tokens: 200, total_tokens: 1200 };
  const reply = { id: "1", object: "chat.completion", model: "gpt-4o-mini", choices: [choice], usage };
  return `- request:
    body: ${JSON.stringify(JSON.stringify(asked))}
    headers: {content-type: [application/json], authorization: [Bearer ${KEY}]}
    method: POST
    uri: ${url}/v1/chat/completions
  response:
    body: {string: ${JSON.stringify(JSON.stringify(reply))}}
    headers: {content-type: [application/json]}
    status: {code: 200, message: OK}
`;
}

function cassette(...calls: readonly string[]): string {
  return `interactions:\n${calls.join("")}version: 1\n`;
}

/** One good call, one of an unknown provider, one with a key in its answer, and one that failed. */
const CASSETTE = cassette(
  call("Which planet is the nearest?"),
  call("Which star is the nearest?", { url: "https://api.unknown.example" }),
  call("What is the key?", { answer: `It is ${KEY}.` }),
  call("Which moon is the nearest?").replace("code: 200, message: OK", "code: 500, message: Oops"),
);
