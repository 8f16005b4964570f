import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { connectionsTo, extensionHosts, portsOfExtensionHosts, TELLS_SOCKETS } from "../support/listening.ts";
import { fillDisk, makeReadOnly, mayMount, mountDisk } from "../../support/a-disk.ts";
import { isRunning } from "../../support/is-running.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { aWorkspaceToBrowse } from "./browse-workspace.ts";
import { differencesAreIgnored } from "./ignore-difference.ts";
import { unfold } from "./unfold.ts";

const ADDRESS = /http:\/\/127\.0\.0\.1:\d+\/[\w-]+/u;

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ workspace: await aWorkspaceToBrowse(), restricted: true, theme: "dark" });
});

const ports = () => portsOfExtensionHosts(bench.home);

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" });
}

function recordings(): number {
  return filesIn(join(bench.folder, ".tapedeck", "calls")).filter((name) => name.endsWith(".json")).length;
}

describe("a window in Restricted Mode", () => {
  it("shows everything, and offers nothing that runs or changes files", async () => {
    await expect.poll(() => bench.statusBar()).toBe("Tapedeck");
    expect(await bench.statusBarKind()).toBe("plain");
    await bench.openView();
    await unfold(bench, "tests/chat.test.ts", "uses a tool");
    await unfold(bench, "uses a tool", "What is the weather");

    await bench.clickRow("What is the weather");
    await expect.poll(() => bench.editorText()).toContain("Take one: rain on Tuesday.");
    await expect
      .poll(() => bench.lenses())
      .toEqual(["Open File", "Compare…", "Go to Test", "Show Whole Test", "Copy as curl"]);
    const menu = await bench.rowMenu("What is the weather");

    expect(menu).toEqual([
      "Open Recording…",
      "Open Recording File",
      "Go to Test of Call",
      "Compare…",
      "Copy…",
    ]);
    await bench.page.keyboard.press("Escape");
    expect(existsSync(join(bench.folder, ".tapedeck", ".local"))).toBe(false);
  });

  it("offers to run no test", async () => {
    await bench.openFile("tests/chat.test.ts", 4);

    expect(await bench.lenses()).toEqual([]);
    const offered = (await bench.offeredCommands("Tapedeck: Record Test")).join("\n");
    expect(offered).not.toContain("Record Test");
  });

  it("is started by trust, without a reload", async () => {
    await bench.clickStatusBar();
    await bench.page.getByRole("button", { name: "Trust", exact: true }).click();

    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);
    // The trust page covers the window.
    await bench.page
      .locator(".monaco-modal-editor-block")
      .getByRole("button", { name: "Close" })
      .first()
      .click();
    await expect.poll(() => bench.lenses()).toContain("Replay · 3 recorded");
  });
});

// In the same window, since opening one takes as long as all of this.
differencesAreIgnored(() => bench);

describe.skipIf(!TELLS_SOCKETS)("a window (needs Linux, which lists processes and sockets)", () => {
  let port: number;
  const theHost = (): number => extensionHosts(bench.home)[0] ?? 0;
  const said = () => bench.terminalText();

  it("answers a waiting call after its extension host was suspended", async () => {
    const host = theHost();
    [port = 0] = ports();
    await bench.runInTerminal("echo");

    process.kill(host, "SIGSTOP");
    try {
      await bench.runInTerminal('node ask.mjs "Say hi in one word"');
      await expect.poll(() => connectionsTo(port)).toBe(1);
    } finally {
      process.kill(host, "SIGCONT");
    }

    await expect.poll(said).toContain("200 replayed Hi!");
    expect(extensionHosts(bench.home)).toEqual([host]);
  });

  it("whose extension host is killed has it back at its address, with its mode and all that was recorded", async () => {
    const host = theHost();
    await bench.clickStatusBar();
    await bench.runInTerminal('node ask.mjs "And of Spain?"');
    await expect.poll(said).toContain("200 recorded");

    process.kill(host, "SIGKILL");

    await expect.poll(() => isRunning(host)).toBe(false);
    await expect.poll(ports).toEqual([port]);
    await expect.poll(() => bench.statusBar()).toBe("Record");
    await expect.poll(() => bench.treeRows()).toContain("New  1");
    await bench.runInTerminal('node ask.mjs "And of Spain?"');
    await expect.poll(said).toContain("200 replayed");
    expect(bench.upstream.requests).toBe(1);
  });

  it("that is reloaded ends its tests, and keeps its address, its mode, and its terminals", async () => {
    const host = theHost();
    const pid = await aTestThatNeverEnds(bench);

    await bench.reload();

    await expect.poll(() => isRunning(pid)).toBe(false);
    await expect.poll(() => isRunning(host)).toBe(false);
    await expect.poll(ports).toEqual([port]);
    await expect.poll(() => bench.statusBar()).toBe("Record");
    await bench.runInTerminal('node ask.mjs "And of Italy?"');
    await expect.poll(said).toContain("200 recorded");
    await bench.openView();
    await expect.poll(() => bench.treeRows()).toContain("New  2");
  });

  it("has its own address beside another window on its folder, and both see each other's recordings", async () => {
    const before = recordings();
    await bench.runInTerminal("echo $TAPEDECK_URL");
    await expect.poll(said).toMatch(ADDRESS);
    const [address = ""] = ADDRESS.exec(await said()) ?? [];

    const other = await bench.anotherWindow();
    await expect.poll(() => other.statusBar()).toBe("Record");
    await expect.poll(ports).toHaveLength(2);
    const addresses = ports().map((one) => address.replace(String(port), String(one)));
    const calls = addresses.flatMap((one, of) =>
      Array.from({ length: 10 }, (_, n) => askAt(one, `${of} ${n}`)),
    );

    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(calls.map(() => 200));
    expect(recordings()).toBe(before + 20);
    await other.openView();
    for (const window of [bench, other]) await expect.poll(() => window.treeRows()).toContain("New  22");
    await other.runCommand("Tapedeck: Accept New Recordings");
    for (const window of [bench, other]) await expect.poll(() => window.treeRows()).toContain("New  0");
    await other.page.goto("about:blank");
    await expect.poll(ports).toEqual([port]);
  });

  it.skipIf(!mayMount)(
    "reports once that its disk is full, and records again when there is space (needs the right to mount)",
    async () => {
      const notified = () => bench.notifications().then((all) => all.join("\n"));
      const ask = 'node ask.mjs "And of Norway?"';
      const sent = bench.upstream.requests;
      await bench.runInTerminal(ask);
      await expect.poll(() => recordingOf("And of Norway?")).toMatch(/json$/u);
      const place = recordingOf("And of Norway?") ?? "";
      rmSync(place);
      const removeDisk = aFullDisk(dirname(place));

      try {
        await bench.runInTerminal(ask);
        await expect.poll(said).toContain("200 forwarded");
        await expect.poll(notified).toContain("the responses cannot be recorded.");
        expect(await notified()).toContain("the disk is full. Free disk space");
        await bench.screenshot("disk-full");
        await bench.pressButton("Show Log");
        await expect.poll(() => bench.logText()).toContain("the disk is full");
        await bench.runInTerminal(`clear; ${ask}; ${ask}; echo asked`);
        await expect.poll(said).toMatch(/^asked$/mu);
        expect(bench.upstream.requests).toBe(sent + 4);
        expect(await notified()).not.toContain("the responses cannot be recorded.");

        makeReadOnly(dirname(place));
        await bench.runInTerminal(ask);
        await expect.poll(notified).toContain("read-only file system");
        await bench.pressButton("Open Setting");
        await expect
          .poll(() => bench.page.locator(".settings-editor").innerText())
          .toContain("Tapedeck: Folder");
        await bench.runCommand("View: Close Editor");
      } finally {
        removeDisk();
      }

      await bench.runInTerminal(ask);
      await expect.poll(() => recordingOf("And of Norway?")).toBe(place);
      await bench.openView();
      await bench.runCommand("Tapedeck: Accept New Recordings");
      await expect.poll(() => bench.treeRows()).toContain("New  0");
    },
  );

  it("in which Tapedeck was turned off stays so after a reload, until it is turned on", async () => {
    await bench.runCommand("Tapedeck: Turn Off in This Workspace");
    await expect.poll(ports).toEqual([]);
    await expect.poll(() => storedBy(bench), { timeout: 20_000 }).toMatch(/\\"on\\":false/u);

    await bench.reload();
    await expect.poll(() => bench.statusBar()).toBe("Tapedeck");
    await expect.poll(() => bench.treeRows()).toContain("New  0");
    expect(ports()).toEqual([]);
    await bench.clickStatusBar();

    await expect.poll(ports).toEqual([port]);
    await bench.runInTerminal('node ask.mjs "Say goodbye in one word"');
    await expect.poll(said).toContain("200 replayed Bye!");
  });

  it("that is closed leaves no process, no socket and no file behind", async () => {
    await bench.page.goto("about:blank");

    await expect.poll(() => extensionHosts(bench.home)).toEqual([]);
    expect(ports()).toEqual([]);
    expect(connectionsTo(port)).toBe(0);
    const left = filesIn(join(bench.folder, ".tapedeck")).filter((name) =>
      /\.(?:tmp|lock|reserved)$/u.test(name),
    );
    expect(left).toEqual([]);
    expect(filesIn(join(bench.home, "tmp")).filter((name) => name.includes("tapedeck"))).toEqual([]);
  });
});

/** The file of a recording that asks this, once it is there. */
function recordingOf(prompt: string): string | undefined {
  const calls = join(bench.folder, ".tapedeck", "calls");
  const files = filesIn(calls).filter((name) => name.endsWith(".json"));
  return files.map((name) => join(calls, name)).find((path) => readFileSync(path, "utf8").includes(prompt));
}

/** Lays a disk over a folder on which there is no room left. Gives what takes it away. */
function aFullDisk(folder: string): () => void {
  const remove = mountDisk(folder, "16k");
  fillDisk(join(folder, "filler"));
  return remove;
}

/** Asks for a chat, and reads the answer to its last byte. */
async function askAt(address: string, prompt: string): Promise<Response> {
  const response = await fetch(`${address}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: prompt }] }),
  });
  await response.text();
  return response;
}

/** Returns the browser's storage of a workspace. The browser stores it some seconds late; a page that closes earlier loses it. */
function storedBy({ page }: Workbench): Promise<string> {
  return page.evaluate(`(async () => {
    const isOfWorkspace = (name) => name.startsWith("vscode-web-state-db-");
    const names = (await indexedDB.databases()).map(({ name }) => name).filter(isOfWorkspace);
    const read = (name) => new Promise((resolve, reject) => {
      const opening = indexedDB.open(name);
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const all = opening.result.transaction("ItemTable").objectStore("ItemTable").getAll();
        all.onsuccess = () => {
          opening.result.close();
          resolve(all.result);
        };
      };
    });
    return JSON.stringify(await Promise.all(names.map(read)));
  })()`);
}

/** Records a test file whose command ignores signals; returns its process id. */
async function aTestThatNeverEnds(window: Workbench): Promise<number> {
  const file = join(mkdtempSync(join(tmpdir(), "tape-said-")), "pid");
  const script = `for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(name, () => {});
    require("fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`;
  window.set({ "tapedeck.testCommand": ["node", "-e", script] });
  await window.openFile("tests/chat.test.ts", 4);
  await expect.poll(() => window.lenses()).toContain("Record file");
  await window.clickLens("Record file");
  await expect.poll(() => existsSync(file) && readFileSync(file, "utf8")).toMatch(/\d/u);
  return Number(readFileSync(file, "utf8"));
}
