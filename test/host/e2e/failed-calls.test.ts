import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { aFolder } from "../../support/a-folder.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";
import { addressElsewhere } from "./paid-upstream.ts";
import { filesBelow } from "../../support/files-below.ts";

const FILE = "tests/classify.test.ts";

/** Of no shape that anybody knows. */
const KEY = "given-in-vs-code-1";

/** Refuses every key. */
const refusing = createServer((_, reply) => {
  reply.writeHead(401, { "content-type": "application/json" });
  reply.end('{"error":{"message":"Incorrect API key provided.","code":"invalid_api_key"}}');
});

let bench: Workbench;
beforeAll(async () => {
  await new Promise<void>((done) => refusing.listen(0, "127.0.0.1", done));
  bench = await openWorkbench({ env: {} });
  await bench.openView();
});
afterAll(() => new Promise((done) => refusing.close(done)));

const rows = () => bench.treeRows().then((lines) => lines.join("\n"));
const problems = () => bench.problems().then((lines) => lines.join("\n"));
/** On this machine, so that no call costs money. */
const upstreams = () => ({ openai: bench.upstream.origin, anthropic: bench.upstream.origin });

/** Records the test that asks where a parcel is. */
async function record(): Promise<void> {
  await bench.openFile(FILE, 11);
  await bench.runCommand("Tapedeck: Record Test");
}

describe("a test whose SDK has no key", () => {
  it("shows why no call arrived: on its line, in its lens, in the view, and below its output", async () => {
    await record();

    await expect
      .poll(() => bench.terminalText())
      .toMatch(/No call reached Tapedeck\. An SDK has no key and sent nothing/u);
    await expect
      .poll(rows)
      .toMatch(/^Failed {2}1\n {2}sends a late parcel to… {2}no key · An SDK has no key and sent nothing/u);
    await expect.poll(() => bench.lenses()).toContain("no call arrived");
    await expect.poll(problems).toMatch(/No call reached Tapedeck\. tapedeck unreached .*OPENAI_API_KEY/u);
    await bench.screenshots("no-key");
  });

  it("is mended by giving the key in VS Code, which reaches the run that records", async () => {
    await bench.openFile(FILE, 10);
    await expect.poll(() => bench.quickFixes()).toContain("Set Provider Key…");
    await bench.chooseFix("Set Provider Key…");
    await expect
      .poll(() => bench.page.locator(".quick-input-widget").innerText())
      .toContain("Only runs that record get it");
    await bench.page.locator(".quick-input-widget input").first().focus();
    await bench.page.keyboard.type(KEY);
    await bench.page.keyboard.press("Enter");
    await expect.poll(() => bench.notifications().then(String)).toContain("The key of openai is stored.");

    await record();

    await expect.poll(() => bench.terminalText()).toMatch(/The test passed · 1 replayed/u);
    await expect.poll(rows).not.toContain("Failed");
    await expect.poll(() => bench.squiggles()).toBe(0);
    expect(readWorkspace()).not.toContain(KEY);
  });

  it("gives a key that no call may bring into a recording, also one that has another key itself", async () => {
    const script = join(aFolder(), "ask.mjs");
    const body = { model: "gpt-4o-mini", messages: [{ role: "user", content: `Is ${KEY} a good key?` }] };
    const init = {
      method: "POST",
      headers: { authorization: "Bearer another-1" },
      body: JSON.stringify(body),
    };
    writeFileSync(
      script,
      `const reply = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", ${JSON.stringify(init)});
       console.log(reply.status, reply.headers.get("x-tapedeck-outcome"));`,
    );
    await bench.clickStatusBar();
    await expect.poll(() => bench.statusBar()).toBe("Record");

    await bench.runCommand("Terminal: Create New Terminal");
    await bench.runInTerminal(`node ${script}`);

    await expect.poll(() => bench.terminalText()).toContain("200 forwarded");
    expect(readWorkspace()).not.toContain(KEY);
    await bench.clickStatusBar();
    await expect.poll(() => bench.statusBar()).toMatch(/^Strict/);
  });
});

/** Returns the contents of the workspace's settings and recordings. */
function readWorkspace(): string {
  const dirs = [".vscode", ".tapedeck"].map((name) => join(bench.folder, name));
  const files = dirs.flatMap((dir) => filesBelow(dir).map((name) => join(dir, name)));
  return files.map((file) => readFileSync(file, "utf8")).join("\n");
}

describe("a call that the provider refuses", () => {
  it("is shown with its message and a solution, and not as recorded", async () => {
    const { port } = refusing.address() as AddressInfo;
    bench.set({ "tapedeck.upstreams": { ...upstreams(), openai: `http://127.0.0.1:${port}` } });
    await forgetAll();

    await record();

    await expect.poll(rows).toMatch(/^Failed {2}1\n {2}"Where is my parcel\?" {2}status 401 · openai/u);
    await expect.poll(() => bench.lenses()).toContain("1 failed");
    await expect
      .poll(problems)
      .toMatch(/This gpt-4o-mini call \("Where is my parcel\?"\) failed\. tapedeck failed/u);
    await bench.clickRow("Where is my parcel?");
    await expect.poll(() => bench.editorText()).toContain("status 401: Incorrect API key provided");
    await expect.poll(() => bench.lenses()).toEqual(["Set Provider Key…", "More…"]);
    await bench.screenshots("refused");
    await bench.openFile(FILE, 11);
    expect(await bench.quickFixes()).toEqual(
      expect.arrayContaining(["Set Provider Key…", "Record the test", "Dismiss"]),
    );
    await bench.page.keyboard.press("Escape");
  });

  it("is shown as well when the upstream is down, with a lens that opens the setting", async () => {
    bench.set({ "tapedeck.upstreams": { ...upstreams(), openai: "http://127.0.0.1:9" } });

    await record();

    await expect
      .poll(rows)
      .toMatch(/^Failed {2}1\n {2}"Where is my parcel\?" {2}unreachable · Tapedeck could not reach openai/u);
    await bench.openFile(FILE, 11);
    await bench.clickLens("1 failed");
    await expect.poll(() => bench.quickPick().then(String)).toContain("Open Upstreams Setting");
    await bench.pick("Open Upstreams Setting");
    await expect
      .poll(() => bench.page.locator(".settings-editor").innerText())
      .toContain("tapedeck.upstreams");
  });

  it("is dismissed by the key for deleting, and copied with its reason", async () => {
    await bench.runCommand("View: Close All Editors");
    await bench.clickRow("Where is my parcel?");
    await bench.page.keyboard.press("Control+c");
    await expect.poll(() => bench.page.locator(".statusbar").innerText()).toContain("Copied 1 row");
    await bench.page.keyboard.press("Delete");

    await expect.poll(rows).not.toContain("Failed");
  });

  it("has no key of VS Code's any more once that is removed", async () => {
    const keys = (): Promise<string> => bench.quickPick().then((lines) => lines.join("\n"));
    const input = bench.page.locator(".quick-input-widget");
    await bench.runCommand("Tapedeck: Set Provider Key…");
    await expect.poll(keys).toMatch(/openai.*stored by Tapedeck/u);
    await bench.pick("openai");
    await expect.poll(() => input.innerText()).toContain("Leave it empty to remove the stored key.");
    await bench.page.keyboard.press("Enter");
    await expect.poll(() => bench.page.locator(".statusbar").innerText()).toContain("Key of openai removed");
    await bench.runCommand("Tapedeck: Set Provider Key…");

    await expect.poll(keys).toContain("openai");
    expect(await keys()).not.toContain("stored by Tapedeck");
    await bench.page.keyboard.press("Escape");
  });
});

/** Takes away what was recorded of the test, so that its call is made again. */
async function forgetAll(): Promise<void> {
  const dir = join(bench.folder, ".tapedeck", "calls");
  for (const name of filesBelow(dir)) {
    const path = join(dir, name);
    if (name.endsWith(".json") && readFileSync(path, "utf8").includes("Where is my parcel?")) rmSync(path);
  }
  await expect.poll(rows).toContain("Recordings  8");
}

describe("a call that bypassed Tapedeck", () => {
  // In place of a client that does so: test/hooks/guard.test.ts shows that its process reports them.
  it("is named with host, process and test, as a row and a problem", async () => {
    const told = `const test = { v: 1, file: require("path").resolve("${FILE}"), name: ["classify", "sends a late parcel to shipping"], line: 11, runner: "vitest" };
      fetch(process.env.TAPEDECK_URL + "/@guard/passed?pid=7&command=node%20a.js&host=api.openai.com:443&reason=it%20is%20a%20WebSocket", { headers: { "x-tapedeck-test": encodeURIComponent(JSON.stringify(test)) } });`;
    const script = join(aFolder(), "told.cjs");
    writeFileSync(script, told);

    await bench.runCommand("Terminal: Create New Terminal");
    await bench.runInTerminal(`node ${script}`);

    await expect
      .poll(rows)
      .toMatch(/^Failed {2}1\n {2}api\.openai\.com:443 {2}A call to .* in process 7 \(node a\.js\)/u);
    await expect
      .poll(problems)
      .toMatch(/A call to api\.openai\.com:443 bypassed Tapedeck\. tapedeck bypassed/u);
    await bench.pressRowButton("api.openai.com", "Dismiss");
    await expect.poll(rows).not.toContain("Failed");
  });
});

describe.skipIf(addressElsewhere() === undefined)("a run of paid calls (needs a network)", () => {
  it("asks before the runner starts, and starts nothing after a no", async () => {
    const began = join(aFolder(), "began");
    bench.set({
      "tapedeck.upstreams": { ...upstreams(), openai: `https://${addressElsewhere()}:9` },
      "tapedeck.testCommand": ["touch", began],
    });

    await record();

    const dialog = bench.page.locator(".monaco-dialog-box");
    await expect
      .poll(() => dialog.allInnerTexts().then(String))
      .toContain("Allow Tapedeck to make paid calls?");
    expect(await dialog.innerText()).toContain("The tests are about to start");
    await bench.screenshot("paid-ahead");
    await bench.pressButton("Cancel");
    await expect
      .poll(() => bench.page.locator(".statusbar").innerText())
      .toContain("Not started: paid calls were not allowed");
    expect(existsSync(began)).toBe(false);

    await record();
    await dialog.waitFor();
    await bench.pressButton("Allow in This Window");
    await expect.poll(() => existsSync(began)).toBe(true);
  });
});
