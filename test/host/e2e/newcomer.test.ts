import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { filesBelow } from "../../support/files-below.ts";
import { openWorkbench, type Workbench } from "../support/open-workbench.ts";

const TEST = "tests/greeting.test.ts";

/** Lines 1 to 16. */
const TEST_FILE = `import OpenAI from "openai";
import { describe, expect, it } from "vitest";

const ask = async (content: string, model = "gpt-4o-mini") => {
  const completion = await new OpenAI({ maxRetries: 0 }).chat.completions.create({ model, messages: [{ role: "user", content }] });
  return completion.choices[0]?.message.content;
};

describe("greeting", () => {
  it("says hi", async () => expect(await ask("Say hi in one word")).toBeTruthy());

  it("is refused", async () => expect(await ask("Say hi", "practice-needs-key")).toBeTruthy());

  it("is broken", async () => expect(await ask("Say hi", "practice-broken")).toBeTruthy());
});
`;

/** The name of the file. */
function breakTheRecording(): string {
  const dir = join(bench.folder, ".tapedeck/calls");
  const name = filesBelow(dir).find((file) => file.endsWith(".json")) ?? "";
  const text = readFileSync(join(dir, name), "utf8");
  writeFileSync(join(dir, name), text.replace('"reply": {', '"reply" {'));
  return basename(name);
}

function aNewProject(): string {
  const folder = mkdtempSync(join(tmpdir(), "newcomer-"));
  mkdirSync(join(folder, "tests"));
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, TEST), TEST_FILE);
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ type: "module", scripts: { test: "vitest run" }, devDependencies: { vitest: "4" } }),
  );
  return folder;
}

let bench: Workbench;
beforeAll(async () => {
  bench = await openWorkbench({ workspace: aNewProject(), pictures: PICTURES, waits: false });
});

const PICTURES = process.env["TEST_PICTURES"] ?? join("test-results", "screenshots");

const rows = () => bench.treeRows().then((lines) => lines.join("\n"));
const buttons = () =>
  bench.page.locator('[id="workbench.view.extension.tapedeck"] .welcome-view-content .monaco-button');

describe("a newcomer with a project of their own", () => {
  it("sees what to do, with the button for it", async () => {
    await bench.openView();
    await expect.poll(() => buttons().allInnerTexts()).toEqual(["Turn On in This Workspace"]);
    await bench.screenshots("empty-off");

    await buttons().getByText("Turn On in This Workspace").click();

    await expect.poll(() => bench.statusBar()).toBe("Strict");
    await expect.poll(() => bench.welcome()).toContain("Nothing is recorded yet.");
    await bench.screenshots("empty-on");
  });

  it("is offered no command that has nothing to work on", async () => {
    await bench.openFile("package.json");
    for (const command of ["Push Recordings", "Ignore Differences", "Fix", "Dismiss", "Record Tests in File"])
      expect((await bench.offeredCommands(`Tapedeck: ${command}`)).join("\n")).not.toContain(
        `Tapedeck: ${command}`,
      );

    await bench.openFile(TEST, 10);
    expect(await bench.offeredCommands("Tapedeck: Record Tests in File")).toContain(
      "Tapedeck: Record Tests in File",
    );
  });

  it("finds Record above every test before the first call", async () => {
    await bench.openFile(TEST, 10);

    await expect.poll(() => bench.lenses()).toEqual(["Record", "Record", "Record"]);
    await bench.screenshots("lenses-before-first-call");
  });

  it("sees the buttons also after calls that left nothing to show", async () => {
    await bench.runInTerminal("curl -s $OPENAI_BASE_URL/models");
    await expect.poll(rows).toContain("Missing  1");
    await bench.rowMenu("Missing");
    await bench.chooseFromMenu("Dismiss");

    await expect.poll(() => buttons().allInnerTexts()).toEqual(["Record in a New Terminal"]);
    expect(await bench.viewMessage()).toBe("");
  });

  it("records in a new terminal at one press", async () => {
    const terminals = bench.page.locator(".terminal-wrapper");
    const before = await terminals.count();
    await buttons().getByText("Record in a New Terminal").click();

    await expect.poll(() => bench.statusBar()).toBe("Record");
    await expect.poll(() => terminals.count()).toBeGreaterThan(before);
    await expect.poll(() => bench.welcome()).toContain("Recording. Run your tests");
    await bench.runCommand("Tapedeck: Toggle Strict and Record");
    await expect.poll(() => bench.statusBar()).toBe("Strict");
  });

  it("runs the whole file with a button where the cursor is in no test", async () => {
    await bench.openFile(TEST, 1);
    await bench.runCommand("Tapedeck: Replay Test");

    await expect.poll(() => bench.notifications().then(String)).toContain("There is no test here.");
    await bench.pressButton("Replay Tests in File");
    await expect.poll(rows).toContain("Missing  3");
  });

  it("records everything missing from its group, and sees every test that ran", async () => {
    await bench.screenshots("missing-group");

    await bench.pressRowButton("Missing", "Record Everything Missing");

    await expect
      .poll(() => bench.notifications().then((all) => all.join("\n")), { timeout: 60_000 })
      .toMatch(/3 tests: 1 passed, 2 failed · .*1 recorded.*Failed: .*is (refused|broken)/u);
    await expect.poll(() => bench.terminalText()).toContain("3 tests: 1 passed, 2 failed");
    await bench.screenshots("record-everything-missing");
    await bench.page.locator(".terminal-wrapper.active").hover();
    await expect
      .poll(async () => {
        await bench.page.mouse.wheel(0, -80);
        return bench.terminalText();
      })
      .toContain("failed with exit code");
    await expect.poll(rows).toContain("New  1");
  });

  it("records a call of no test when it is made again, in strict", async () => {
    const ask = `curl -s $OPENAI_BASE_URL/chat/completions -H 'content-type: application/json' -H 'authorization: Bearer sk-mine' -d '{"model":"gpt-4o-mini","messages":[{"role":"user","content":"Who is there?"}]}'`;
    await bench.runCommand("Terminal: Create New Terminal");
    await bench.runInTerminal(ask);
    await expect.poll(rows).toContain("Who is there?");

    await bench.pressRowButton("Who is there?", "Record Call");
    await expect
      .poll(() => bench.notifications().then((all) => all.join("\n")))
      .toContain("Run the program that makes it again to record the call.");
    await bench.runInTerminal(ask);

    await expect.poll(rows).toMatch(/New {2}2[^]*Who is there\?/u);
    expect(await bench.statusBar()).toMatch(/^Strict/u);
    await bench.pressRowButton("Who is there?", "Discard New Recordings…");
    await expect.poll(rows).toContain("New  1");
  });

  it("counts a new recording once", async () => {
    await bench.openFile(TEST, 10);

    await expect.poll(() => bench.lenses()).toContain("Replay · 1 new");
    const offered = (await bench.offeredCommands("Tapedeck: Open Recording")).join("\n");
    expect(offered).toContain("Tapedeck: Open Recording…");
    expect(offered).not.toContain("Tapedeck: Open Recording File"); // its page is not open
  });

  it("sees a broken recording where its test is, among the problems and on the icon", async () => {
    await bench.runCommand("Tapedeck: Accept New Recordings");
    const entry = breakTheRecording();
    await bench.runInTerminal("clear; npx vitest run -t 'says hi'");
    await expect.poll(() => bench.terminalText()).toContain("failed");

    await bench.openFile(TEST, 10);
    await expect.poll(() => bench.lenses()).toContain("1 broken");
    expect(await bench.lenses()).toContain("Replay · 1 broken");
    await expect.poll(() => bench.problems().then((all) => all.join("\n"))).toContain(entry);
    await expect.poll(() => bench.badge()).toBe("3");

    const lens = bench.page.locator(".codelens-decoration a").getByText("1 broken", { exact: true });
    await lens.last().click();
    await expect.poll(() => bench.editorTitle()).toContain(".json");
  });
});
