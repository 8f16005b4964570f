import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startUpstream, type Upstream } from "../../../demo/upstream/server.mjs";
import { aFolder } from "../../support/a-folder.ts";
import { isRunning } from "../../support/is-running.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { A_WHILE, tryAgain } from "../support/try-again.ts";
import { addressElsewhere, aPaidUpstream, type PaidUpstream } from "./paid-upstream.ts";

interface ProviderRequest {
  readonly path: string;
  readonly body: unknown;
}

const STOP = "Stop Recording or Replaying";

let bench: Workbench;
let practice: Upstream;
let paid: PaidUpstream;
beforeAll(async () => {
  practice = await startUpstream({ delayMs: 0 });
  paid = await aPaidUpstream();
  bench = await openWorkbench({
    settings: {
      "tapedeck.testCommand": ["no-such-runner", "${file}"],
      "tapedeck.upstreams": { openai: practice.origin, ...(paid.origin && { groq: paid.origin }) },
      "tapedeck.limits": { calls: 3 },
    },
  });
  await bench.openView();
  await bench.openFile("tests/classify.test.ts", 7);
});
afterAll(async () => {
  await Promise.all([practice.close(), paid.close()]);
});

describe("where a test cannot be run", () => {
  it("reports it, with the setting one click away", async () => {
    await expect.poll(() => bench.lenses()).toContain("Replay · 1 recorded");

    await bench.clickLens("Replay · 1 recorded");

    await expect
      .poll(async () => (await bench.notifications()).join("\n"))
      .toContain('the program "no-such-runner" was not found');
    await bench.screenshot("cannot-run");
    await bench.pressButton("Open Setting");
    await expect
      .poll(() => bench.page.locator(".settings-editor").innerText())
      .toContain("Tapedeck: Test Command");
    // The settings cover the window.
    await bench.runCommand("View: Close Editor");
  });
});

describe("a call that arrives before VS Code reports its command", () => {
  it("is the first of its run: it gets the first take, and the next one the second", async () => {
    const recordings = join(bench.folder, ".tapedeck/calls/anthropic/cf");
    const [name = "none"] = readdirSync(recordings);
    const first = readFileSync(join(recordings, name), "utf8");
    const second = join(recordings, name.replace(".json", ".2.json"));
    writeFileSync(second, first.replaceAll("Vielen", "Noch einmal vielen"));
    onTestFinished(() => rmSync(second));
    const { request } = JSON.parse(first) as { request: ProviderRequest };
    const folder = aFolder();
    writeFileSync(join(folder, "body"), JSON.stringify(request.body));
    const call = `curl -s -H content-type:application/json -H anthropic-version:2026-10-21 -d @${join(folder, "body")} $TAPEDECK_URL/anthropic${request.path} >> ${join(folder, "said")}`;
    // Between the two, VS Code reports that the command began.
    writeFileSync(join(folder, "calls"), `${call}; sleep 1; ${call}`);
    const said = () =>
      readFileSync(join(folder, "said"), { encoding: "utf8", flag: "a+" }).match(
        /(?<="text":")(Viel|Noch)/gu,
      );

    // As a person sees that a command has ended.
    const ended = () => bench.page.locator(".xterm .codicon-terminal-decoration-success").count();
    const others = await ended();
    // A key that is typed into the terminal of a test closes it.
    await bench.runCommand("Terminal: Create New Terminal");
    await bench.runInTerminal("true");
    await expect.poll(ended).toBe(others + 1);

    for (const count of [2, 4, 6]) {
      await bench.runInTerminal(`. ${join(folder, "calls")}`);
      await expect.poll(said).toHaveLength(count);
      await expect.poll(ended).toBe(others + 1 + count / 2);
    }

    expect(said()).toEqual(["Viel", "Noch", "Viel", "Noch", "Viel", "Noch"]);
  });
});

describe.skipIf(addressElsewhere() === undefined)("a paid call (needs a network)", () => {
  const dialog = () => bench.page.locator(".monaco-dialog-box");
  beforeAll(() => bench.clickStatusBar());
  afterAll(async () => {
    await bench.clickStatusBar();
    await bench.statusItem.filter({ hasText: "Strict" }).waitFor();
  });
  const ask = (what: string) =>
    `curl -s -m 20 $TAPEDECK_URL/groq/openai/v1/chat/completions -H content-type:application/json -H anthropic-version:2026-10-21 -d '{"model":"llama-3.3-70b-versatile","messages":[{"role":"user","content":"'${what}'"}]}'; echo`;

  it("is asked about before it is sent, and not sent after a no", async () => {
    await bench.runInTerminal(ask("one"));

    await expect
      .poll(() => dialog().allInnerTexts().then(String))
      .toContain("Allow Tapedeck to make paid calls?");
    const asked = await dialog().innerText();
    await bench.screenshot("paid-question");
    await bench.pressButton("Cancel");

    expect(asked).toContain("A call to groq (llama-3.3-70b-versatile) is waiting to be sent with your key.");
    expect(asked).toContain("A run can use at most 3 calls, $10.00");
    await expect.poll(() => bench.terminalText()).toContain("paid calls were not allowed");
    expect(paid.connections()).toBe(0);
    // The no holds for what still runs: the next begins after the prompt.
    await expect.poll(() => bench.terminalText()).toMatch(/[#$]$/u);
  });

  it("is sent after a yes, and no other call of the window is confirmed until the run's budget is spent", async () => {
    await bench.runInTerminal(`for n in 1 2 3 4; do ${ask("$n")}; done`);
    await dialog().waitFor();
    await bench.pressButton("Allow in This Window");

    await expect.poll(() => bench.terminalText()).toContain("the limit of 3 calls per run is reached");
    expect(paid.connections()).toBe(3);
    expect(await dialog().count()).toBe(0);
    await bench.statusItem.hover();
    await expect
      .poll(() => bench.page.locator(".monaco-hover").allInnerTexts().then(String))
      .toContain("Spent: 3 calls");
  });
});

describe("a test that never ends and ignores signals", () => {
  const folder = mkdtempSync(join(tmpdir(), "tape-said-"));
  const said = join(folder, "pid");
  /** Where it is there, the test makes a call. */
  const calls = join(folder, "calls");
  beforeAll(async () => {
    const script = `for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => {});
      const { existsSync, writeFileSync } = require("fs");
      const call = () => fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Are you there?" }] }),
      }).then((reply) => reply.text());
      (existsSync(${JSON.stringify(calls)}) ? call() : Promise.resolve())
        .then(() => writeFileSync(${JSON.stringify(said)}, String(process.pid)));
      setInterval(() => {}, 1000)`;
    bench.set({ "tapedeck.testCommand": ["node", "-e", script] });
    await bench.openFile("tests/classify.test.ts", 7);
  });

  /** Starts it; gives its process, once its call is answered where it makes one. */
  const begin = async (lens = "Replay file", during = "Replaying · stop"): Promise<number> => {
    rmSync(said, { force: true });
    await expect.poll(() => bench.lenses()).toContainEqual(expect.stringContaining(lens));
    await bench.clickLens(lens);
    await expect.poll(() => bench.lenses()).toContain(during);
    await expect.poll(() => existsSync(said) && readFileSync(said, "utf8")).toMatch(/\d/u);
    return Number(readFileSync(said, "utf8"));
  };

  it("can be stopped from wherever tests are run, and from nowhere before", async () => {
    const before = await bench.lineNumberMenu(7);
    await bench.page.keyboard.press("Escape");
    await begin();

    const menus = [await bench.lineNumberMenu(7)];
    await bench.page.keyboard.press("Escape");
    await bench.openFile("tests/classify.test.ts", 7);
    menus.push(await bench.editorMenu());
    await bench.page.keyboard.press("Escape");
    menus.push(await bench.offeredCommands(`Tapedeck: ${STOP}`));
    menus.push(await bench.rowMenu("tests/classify.test.ts"));
    expect(menus.at(-1)).toEqual(expect.arrayContaining(["Record Tests in File", "Replay Tests in File"]));
    await bench.screenshot("stop-menu");
    await bench.chooseFromMenu(STOP);

    expect(before).not.toContain(STOP);
    expect(menus.map((menu) => menu.filter((entry) => entry.includes(STOP)))).toEqual([
      [STOP],
      [STOP],
      [`Tapedeck: ${STOP}`],
      [STOP],
    ]);
    await expect.poll(() => bench.lenses()).toContain("Replay file · 2 recorded");
  });

  it("is stopped by the button of the view, and all that waits with it", async () => {
    const pid = await begin();

    await bench.pressViewButton(STOP);

    await expect.poll(() => bench.terminalText()).toContain("The tests were stopped");
    await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(() => bench.lenses()).toContain("Replay file · 2 recorded");
  });

  it("shows what it recorded so far, and is stopped from the status bar; what was recorded stays", async () => {
    writeFileSync(calls, "");
    const pid = await begin("Record file", "Recording · stop");

    const progress = bench.page.locator(".statusbar-item").filter({ hasText: "classify.test.ts" });
    await expect.poll(() => progress.allInnerTexts().then(String)).toMatch(/Recording .*: 1 recorded/u);
    expect(await bench.statusBar()).toContain("1 run");
    await bench.screenshot("recording-progress");
    // Where the item's text changes just then, what hovers over it is drawn anew.
    await tryAgain(
      async () => {
        await bench.statusItem.hover(A_WHILE);
        const stop = bench.page
          .locator(".monaco-hover a")
          .filter({ hasText: "Stop recording", visible: true });
        await stop.click(A_WHILE);
      },
      () => bench.page.mouse.move(600, 300),
    );

    await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(() => bench.terminalText()).toMatch(/The tests were stopped · 1 recorded/u);
    await expect.poll(() => bench.treeRows()).toContain("New  1");
  });

  it("does not outlive the window", async () => {
    const pid = await begin();

    await bench.page.goto("about:blank");

    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});
