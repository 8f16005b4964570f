import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { SETTLED_MS } from "../../../src/editor/runs/unreached-model.ts";
import { missingIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { itLong } from "../support/long.ts";
import { pointOtherExtensions, theSession } from "../support/session.ts";

const ONE = "tests/life/one.test.ts";
const TWO = "tests/life/two.test.ts";
const KEY = "ab".repeat(32);

/** Lines 1 to 6. */
const testAsking = (question: string): string => `import OpenAI from "openai";
import { it } from "vitest";
const ask = (content: string) => new OpenAI({ maxRetries: 0 }).chat.completions.create({ model: "m", messages: [{ role: "user", content }] });
it("asks", async () => {
  await ask("${question}");
});
`;

describe("problems of missing calls live as long as their cause", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await session.setMode("strict");
    await pointOtherExtensions(true);
  });
  after(async () => {
    rmSync(pathOf("tests/life"), { recursive: true, force: true });
    await pointOtherExtensions(false);
  });

  const pathOf = (file: string): string => join(session.folder.uri.fsPath, file);
  const uriOf = (file: string): vscode.Uri => vscode.Uri.file(pathOf(file));
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(pathOf(file)), { recursive: true });
    writeFileSync(pathOf(file), text);
  };
  const linesOf = (file: string): string =>
    vscode.languages
      .getDiagnostics(uriOf(file))
      .filter(({ source }) => source === "tapedeck")
      .map(({ range }) => range.start.line + 1)
      .join();

  /** As another extension's test explorer does: from the extension host, with what it finds in its environment. */
  function runVitest(...args: readonly string[]): Promise<string> {
    const vitest = pathOf("node_modules/vitest/vitest.mjs");
    const child = spawn("node", [vitest, "run", ...args], { cwd: session.folder.uri.fsPath });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (output += String(data)));
    return new Promise((resolve) => child.once("close", (code) => resolve(`${output}\nended with ${code}`)));
  }

  it("two workers at once mark each its own test, and a run of one leaves the other's mark", async () => {
    write(ONE, testAsking("First of two workers?"));
    write(TWO, testAsking("Second of two workers?"));

    const output = await runVitest("--pool=forks", "--maxWorkers=2", ONE, TWO);
    await eventually(`both are marked\n${output}`, () => linesOf(ONE) === "5" && linesOf(TWO) === "5");
    await runVitest(ONE);

    assert.deepEqual([linesOf(ONE), linesOf(TWO)], ["5", "5"]);
    assert.equal(missingIn(session).filter(({ test }) => test?.file.startsWith("tests/life/")).length, 2);
  });

  it("a recording that cannot be read is marked in its file until it is gone", async () => {
    const file = `.tapedeck/calls/openai/${KEY.slice(0, 2)}/${KEY}.json`;
    const problems = (): string =>
      vscode.languages
        .getDiagnostics(uriOf(file))
        .map(({ message }) => message)
        .join();
    await vscode.commands.executeCommand("tapedeck.calls.focus");

    write(file, '{ "reply" {} }');
    await eventually("it is marked", () => problems() !== "");
    assert.match(problems(), /^A ":" is missing\. /u);
    rmSync(pathOf(file));

    await eventually("no mark", () => problems() === "");
  });

  it("a test that is deleted from its saved file is forgotten with its missing calls", async () => {
    const document = await vscode.workspace.openTextDocument(uriOf(TWO));
    const others = missingIn(session).filter(({ test }) => test?.file !== TWO).length;
    const emptied = new vscode.WorkspaceEdit();
    emptied.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), "export {};\n");

    await vscode.workspace.applyEdit(emptied);
    await eventually("no mark", () => linesOf(TWO) === "");
    assert.ok(
      missingIn(session).some(({ test }) => test?.file === TWO),
      "until it is saved",
    );
    await document.save();

    await eventually("it is forgotten", () => missingIn(session).every(({ test }) => test?.file !== TWO));
    assert.equal(missingIn(session).length, others);
  });

  it("a file that is deleted in the editor is forgotten with its missing calls", async () => {
    const remove = new vscode.WorkspaceEdit();
    remove.deleteFile(uriOf(ONE));

    await vscode.workspace.applyEdit(remove);

    await eventually("no mark", () => linesOf(ONE) === "");
    assert.ok(!missingIn(session).some(({ test }) => test?.file === ONE));
    session.findings.dismiss(missingIn(session));
  });

  it("a run of another extension's tests without calls is noticed and named", async () => {
    write(ONE, 'import { it } from "vitest";\nit("adds", () => {});\n');

    // A run that overlaps with one that calls is not distinguished from it: the previous one may just have ended.
    await eventually("it is noticed", async () => {
      assert.match(await runVitest(ONE), /1 passed/u);
      const end = Date.now() + SETTLED_MS + 4_000;
      while (session.state.unreached === undefined && Date.now() < end)
        await new Promise((resolve) => setTimeout(resolve, 50));
      return session.state.unreached === "vitest";
    });
  });

  itLong(
    "a file that does not parse fails in its runner's words, and nothing is called missing",
    async () => {
      const torn = "tests/life/torn.test.ts";
      write(torn, `${testAsking("Torn?")}it("is torn", () => {`);
      const before = session.state.calls.length;

      const passed = await vscode.commands.executeCommand<boolean>("tapedeck.replayTest", {
        uri: uriOf(torn).toString(),
        test: { path: ["asks"], line: 4 },
      });

      assert.equal(passed, false);
      assert.deepEqual(session.state.calls.slice(before), []);
      assert.deepEqual([session.state.runs, missingIn(session)], [[], []]);
    },
  );

  it("a test that is skipped on purpose did not pass, and is no problem", async () => {
    write(ONE, 'import { it } from "vitest";\nit.skip("asks", () => {});\n'); // a file for vitest to run

    const passed = await vscode.commands.executeCommand<boolean>("tapedeck.recordTest", {
      uri: uriOf(ONE).toString(),
      test: { path: ["asks"], line: 2 },
    });

    assert.equal(passed, false);
    assert.deepEqual(
      session.state.findings.filter(({ test }) => test?.file === ONE),
      [],
    );
  });

  it("a runner that is not installed is not begun, and no run is left", async () => {
    write("tests/life/jest/package.json", '{ "devDependencies": { "jest": "*" } }');
    write("tests/life/jest/a.test.js", 'import { it } from "@jest/globals";\nit("asks", () => {});\n');
    const begun: unknown[] = [];
    const listening = session.onDidChange(() => begun.push(...session.state.runs));

    const passed = await vscode.commands.executeCommand<boolean>("tapedeck.replayTest", {
      uri: uriOf("tests/life/jest/a.test.js").toString(),
      test: { path: ["asks"], line: 2 },
    });

    listening.dispose();
    assert.equal(passed, false);
    assert.deepEqual(begun, []);
  });
});
