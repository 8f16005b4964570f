import { execFile } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { practiceKeys } from "../../../scripts/host/demo-host.mjs";
import { rootDir } from "../../../scripts/host/paths.mjs";
import { createKeyPair } from "../../../src/remote/team-keys.ts";
import { aLastingFolder } from "../../support/a-folder.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const FILE = "tests/classify.test.ts";
const LABEL = "Cannot log in";
const key = createKeyPair().privateKey;
const rows = async (): Promise<string> => (await bench.treeRows()).join("\n");
const said = async (): Promise<string> => (await bench.notifications()).join("\n");

let bench: Workbench;
const { path: cache, remove } = aLastingFolder();
afterAll(remove);
beforeAll(async () => {
  bench = await openWorkbench({
    env: { ...practiceKeys, TAPEDECK_REMOTE_KEY: key },
    settings: { "tapedeck.remote.address": cache },
  });
  await bench.openView();
});

/** A command line on a copy of the workspace, as on another machine of the team. */
async function onAnotherMachine(...args: readonly string[]): Promise<void> {
  const copy = join(bench.home, `another-${args[0] ?? ""}`);
  cpSync(bench.folder, copy, { recursive: true, verbatimSymlinks: true });
  rmSync(join(copy, ".tapedeck", ".local"), { recursive: true, force: true });
  await promisify(execFile)(process.execPath, [join(rootDir, "dist", "cli.js"), ...args], {
    cwd: copy,
    env: { ...process.env, ...practiceKeys, TAPEDECK_REMOTE: cache, TAPEDECK_REMOTE_KEY: key },
  });
}

describe("a missing call", () => {
  it("is downloaded when its test runs after a teammate recorded it, and its row and page show its origin", async () => {
    await bench.runCommand("Terminal: Create New Terminal");
    await bench.openFile(FILE, 15);
    await bench.runInTerminal(`npx vitest run ${FILE}`);
    await expect.poll(rows).toMatch(/Missing {2}1\n.*Cannot log in/u);
    await bench.screenshots("team-missing");
    const { upstream } = bench;
    const to = ["--upstream", `openai=${upstream.origin}`, "--upstream", `anthropic=${upstream.origin}`];
    await onAnotherMachine(
      "run",
      "--mode",
      "record",
      "--remote-write",
      ...to,
      "--",
      "npx",
      "vitest",
      "run",
      FILE,
    );
    const paid = upstream.requests;

    await bench.runInTerminal(`npx vitest run ${FILE}`);

    await expect.poll(() => bench.terminalText()).toMatch(/3 passed/u);
    await expect.poll(rows).toMatch(/Missing {2}0/u);
    await bench.clickRow(FILE);
    await bench.clickRow("sends a lost password to account");
    await expect.poll(rows).toMatch(/Cannot log in.*from the team/u);
    await bench.screenshots("team-fetched");
    await bench.clickRow(LABEL);
    await expect.poll(() => bench.editorText()).toMatch(/from the team/iu);
    expect(upstream.requests).toBe(paid);
  });

  it("is counted in the tooltip", async () => {
    await bench.statusItem.hover();
    await expect
      .poll(() => bench.page.locator(".monaco-hover").allInnerTexts().then(String))
      .toMatch(/Team cache .*1 recording downloaded in this window/u);
    await bench.screenshots("team-tooltip");
  });
});

describe("Push and Pull", () => {
  beforeEach(() => bench.runCommand("Notifications: Clear All Notifications"));

  it("go by the key that was given in VS Code rather than by the variable's", async () => {
    const give = async (text: string): Promise<void> => {
      await bench.runCommand("Notifications: Clear All Notifications");
      await bench.runCommand("Tapedeck: Set Provider Key…");
      await bench.type("the team cache"); // it is below the visible providers
      await bench.pick("the team cache");
      const input = bench.page.locator(".quick-input-widget input").first();
      await expect
        .poll(() => bench.page.locator(".quick-input-widget").innerText())
        .toContain("No run gets it");
      await input.focus();
      await bench.page.keyboard.insertText(text);
      await bench.page.keyboard.press("Enter");
      await expect.poll(said).toContain("The key of the team cache is stored.");
    };
    await give("ed25519-private:cut-off");

    await bench.runCommand("Tapedeck: Pull Recordings from Team Cache");

    await expect.poll(said).toContain("The key of the team cannot be read");
    await give(key);
  });

  it("uploads recordings that the team lacks, after a question, and reports the count", async () => {
    await bench.runCommand("Tapedeck: Push Recordings to Team Cache…");
    const dialog = bench.page.locator(".monaco-dialog-box");
    await expect.poll(() => dialog.allInnerTexts().then(String)).toMatch(/leaves? this machine/u);
    await bench.screenshots("team-push");
    await bench.pressButton("Upload");

    await expect.poll(said).toMatch(/\d+ recordings uploaded to /u);
  });

  it("downloads recordings that are missing here, and reports the count", async () => {
    const calls = join(bench.folder, ".tapedeck", "calls");
    const names = readdirSync(calls, { recursive: true, encoding: "utf8" });
    rmSync(join(calls, names.find((name) => name.endsWith(".json")) ?? "a recording"));

    await bench.runCommand("Tapedeck: Pull Recordings from Team Cache");

    // Where messages of before are on their way out, the newest waits.
    await bench.runCommand("Notifications: Show Notifications");
    await expect.poll(said).toContain("1 recording downloaded from ");
  });

  it("ends a transfer when the user cancels it, without an error", async () => {
    const held = new Set<Socket>();
    const silent = createServer((socket) => held.add(socket.on("error", () => {})));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      for (const socket of held) socket.destroy();
      silent.close();
    });
    bench.set({ "tapedeck.remote.address": `redis://127.0.0.1:${(silent.address() as AddressInfo).port}/0` });
    const pulling = "Pulling from the team cache";
    await expect
      .poll(async () => {
        // Until the window has read its settings, the old cache answers.
        await bench.runCommand("Tapedeck: Pull Recordings from Team Cache");
        await expect.poll(said).toMatch(/Pulling|nothing that is not here/u);
        return said();
      })
      .toContain(pulling);

    await bench.pressButton("Cancel");

    await expect.poll(said).not.toContain(pulling);
    expect(await said()).not.toMatch(/did not answer|aborted/u);
  });
});
