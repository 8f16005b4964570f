import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { isRunning } from "../../support/is-running.ts";
import { eventually } from "../support/eventually.ts";
import { itLong } from "../support/long.ts";
import { addressOf, theSession } from "../support/session.ts";

const CLASSIFY = "tests/classify.test.ts";

describe("on the tests of the workspace", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await vscode.window.showTextDocument(uriOf(CLASSIFY));
  });

  const uriOf = (file: string): vscode.Uri => vscode.Uri.joinPath(session.folder.uri, file);

  async function lensesOf(file: string): Promise<vscode.CodeLens[]> {
    await vscode.workspace.openTextDocument(uriOf(file));
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
      "vscode.executeCodeLensProvider",
      uriOf(file),
      99,
    );
    return lenses.filter(({ command }) => command?.command.startsWith("tapedeck."));
  }

  /** Line by line, without icons. */
  async function lensTexts(file: string): Promise<string[]> {
    const texts = new Map<number, string[]>();
    for (const { range, command } of await lensesOf(file)) {
      const line = range.start.line + 1;
      texts.set(line, [...(texts.get(line) ?? []), (command?.title ?? "").replace(/\$\([^)]*\)\s/u, "")]);
    }
    return [...texts].map(([line, all]) => `${line}: ${all.join(" | ")}`);
  }

  async function lensFor(file: string, line: number, word: string): Promise<vscode.Command> {
    const lenses = await lensesOf(file);
    const lens = lenses.find(
      ({ range, command }) => range.start.line + 1 === line && command?.title.includes(word),
    );
    assert.ok(lens?.command, `${file}:${line} has the lens ${word}`);
    return lens.command;
  }

  const press = <T>({ command, arguments: args = [] }: vscode.Command): Thenable<T> =>
    vscode.commands.executeCommand<T>(command, ...(args as unknown[]));

  /** As the menu of the line numbers does. */
  const replayAt = (file: string, lineNumber: number): Thenable<boolean> =>
    vscode.commands.executeCommand<boolean>("tapedeck.replayTest", { uri: uriOf(file), lineNumber });

  const problemsOf = (file: string): vscode.Diagnostic[] =>
    vscode.languages.getDiagnostics(uriOf(file)).filter(({ source }) => source === "tapedeck");

  /** Runs an action with a custom command in place of the runner's. */
  async function withCommand<T>(command: readonly string[], action: () => Thenable<T>): Promise<T> {
    const configuration = vscode.workspace.getConfiguration("tapedeck", session.folder.uri);
    await configuration.update("testCommand", command, vscode.ConfigurationTarget.Workspace);
    await eventually("the setting is known", () => session.settings.testCommand.length === command.length);
    try {
      return await action();
    } finally {
      await configuration.update("testCommand", undefined, vscode.ConfigurationTarget.Workspace);
      await eventually("the setting is gone", () => session.settings.testCommand.length === 0);
    }
  }

  it("stand lenses with the count of their recordings, in TypeScript and in Python", async () => {
    await eventually("all recordings are known", async () => (await lensTexts(CLASSIFY)).length === 5);

    assert.deepEqual(await lensTexts(CLASSIFY), [
      "1: Replay file · 2 recorded | Record file",
      "5: Replay suite · 2 recorded | Record suite",
      "6: Replay · 1 recorded | Record | Timeline",
      "10: Replay · 1 recorded | Record | Timeline",
      "14: Record",
    ]);
    assert.deepEqual(await lensTexts("tests/replies.test.ts"), [
      "1: Replay file · 3 recorded | Record file",
      "6: Replay suite · 3 recorded | Record suite",
      "7: Replay · 1 recorded | Record | Timeline",
      "17: Replay · 2 recorded | Record | Timeline",
    ]);
    assert.deepEqual(await lensTexts("tests/test_triage.py"), [
      "1: Replay file · 2 recorded | Record file",
      "12: Replay suite · 2 recorded | Record suite",
      "13: Replay · 1 recorded | Record | Timeline",
      "16: Replay · 1 recorded | Record | Timeline",
    ]);
  });

  it("lenses follow edits that are not saved, also while a line is not finished", async () => {
    const document = await vscode.workspace.openTextDocument(uriOf(CLASSIFY));
    const insert = new vscode.WorkspaceEdit();
    insert.insert(document.uri, new vscode.Position(5, 0), "  it('is not finished', () => {\n    ask(`\n\n");

    await vscode.workspace.applyEdit(insert);
    const during = await lensTexts(CLASSIFY);
    await vscode.commands.executeCommand("workbench.action.files.revert");

    assert.deepEqual(during, [
      "1: Replay file · 2 recorded | Record file",
      "5: Replay suite · 2 recorded | Record suite",
      "9: Replay · 1 recorded | Record | Timeline",
      "13: Replay · 1 recorded | Record | Timeline",
      "17: Record",
    ]);
    await eventually("the edit is gone", () => !document.isDirty);
  });

  itLong("replay runs exactly one test, in strict, and nothing is missing", async () => {
    const before = session.state.calls.length;

    const passed = await press<boolean>(await lensFor("tests/replies.test.ts", 17, "Replay"));

    const calls = session.state.calls.slice(before);
    assert.equal(passed, true);
    assert.deepEqual(
      calls.map(({ outcome, mode, test }) => [outcome, mode, test?.name.join(" › ")]),
      [
        ["replayed", "strict", "replies › looks the order up before it answers"],
        ["replayed", "strict", "replies › looks the order up before it answers"],
      ],
    );
    assert.deepEqual(session.state.runs, []);
  });

  it("replay runs a suite and a whole file, each in one run", async () => {
    const python = await lensFor("tests/test_triage.py", 12, "Replay suite");
    const file = await lensFor("tests/replies.test.ts", 1, "Replay file");
    for (const [lens, count] of [
      [python, 2],
      [file, 3],
    ] as const) {
      const before = session.state.calls.length;

      assert.equal(await press<boolean>(lens), true);

      const calls = session.state.calls.slice(before);
      assert.deepEqual(
        calls.map(({ outcome }) => outcome),
        Array.from({ length: count }, () => "replayed"),
      );
      assert.equal(new Set(calls.map((call) => call.run)).size, 1);
      assert.equal(new Set(calls.map(({ test }) => test?.name.at(-1))).size, 2);
    }
  });

  describe("where a recording is missing", () => {
    before(async () => {
      const passed = await replayAt(CLASSIFY, 14);
      assert.equal(passed, false);
      await eventually("a problem", () => problemsOf(CLASSIFY).length > 0);
    });

    it("the line that called is marked, with what differs, its page, and what it is about", () => {
      const [problem, ...more] = problemsOf(CLASSIFY);

      assert.ok(problem);
      assert.deepEqual(more, []);
      assert.equal(problem.range.start.line + 1, 15);
      assert.equal(problem.severity, vscode.DiagnosticSeverity.Error);
      assert.match(
        problem.message,
        /^No recording for this gpt-4o-mini call \("Cannot log in"\)\.\nNo similar call is recorded\.\nTo record it, choose "Record" above the test\./u,
      );
      const { code, relatedInformation = [] } = problem;
      assert.ok(typeof code === "object");
      assert.equal(code.value, "miss");
      assert.equal(code.target.scheme, "tapedeck");
      assert.deepEqual(
        relatedInformation.map(({ message }) => message),
        ["The call was made here"],
      );
      const [helper] = relatedInformation.map(({ location }) => location);
      assert.equal(vscode.workspace.asRelativePath(helper?.uri ?? ""), "src/classify.ts");
      assert.equal(helper?.range.start.line, 8);
    });

    it("the mark follows the line while text is edited, and disappears with a deleted test", async () => {
      const document = await vscode.workspace.openTextDocument(uriOf(CLASSIFY));
      const edit = async (range: vscode.Range, text: string): Promise<void> => {
        const change = new vscode.WorkspaceEdit();
        change.replace(document.uri, range, text);
        await vscode.workspace.applyEdit(change);
      };
      const lines = (): number[] => problemsOf(CLASSIFY).map(({ range }) => range.start.line + 1);

      await edit(new vscode.Range(0, 0, 0, 0), "\n\n");
      await eventually("it went down", () => lines()[0] === 17);
      await edit(new vscode.Range(15, 0, 18, 0), "");
      await eventually("it is gone", () => lines().length === 0);
      await vscode.commands.executeCommand("workbench.action.files.revert");
      await eventually("it is back", () => lines()[0] === 15);
      assert.equal(document.isDirty, false);
    });
  });

  describe("a run", () => {
    const folder = mkdtempSync(join(tmpdir(), "tapedeck-run-"));
    const script = join(folder, "run.cjs");
    const said = join(folder, "said.txt");
    after(() => rmSync(folder, { recursive: true, force: true }));

    const write = (text: string): void => writeFileSync(script, text);
    const replay = (): Thenable<boolean> =>
      press<boolean>({
        title: "",
        command: "tapedeck.replayTest",
        arguments: [
          {
            uri: uriOf(CLASSIFY).toString(),
            test: { path: ["classify", "sends a double charge to billing"], line: 6 },
          },
        ],
      });
    const asScript = <T>(action: () => Thenable<T>): Promise<T> =>
      withCommand(["node", script, "${relativeFile}", "${title}"], action);

    it("gives its process its own address, which ends with it", async () => {
      write(
        `require("fs").writeFileSync(${JSON.stringify(said)}, JSON.stringify([process.env.TAPEDECK_URL, process.env.OPENAI_BASE_URL, ...process.argv.slice(2)]))`,
      );

      await asScript(replay);

      const [address = "", openai, ...args] = JSON.parse(readFileSync(said, "utf8")) as string[];
      const shared = await addressOf(session);
      assert.equal(new URL(address).origin, new URL(shared).origin);
      assert.notEqual(address, shared);
      assert.equal(openai, `${address}/openai/v1`);
      assert.deepEqual(args, [CLASSIFY, "sends a double charge to billing"]);
      const late = await fetch(`${openai}/chat/completions`, { method: "POST", body: "{}" });
      assert.equal(late.headers.get("x-tapedeck-outcome"), "refused");
    });

    it("is shown on its test and can be stopped; then its process is gone", async () => {
      write(
        `process.on("SIGINT", () => {}); require("fs").writeFileSync(${JSON.stringify(said)}, String(process.pid)); setInterval(() => {}, 1000)`,
      );
      rmSync(said, { force: true });

      await asScript(async () => {
        const ended = replay();
        await eventually("it runs", () => existsSync(said) && readFileSync(said, "utf8") !== "");
        const during = (await lensTexts(CLASSIFY))[2];
        const waiting = replay();
        await vscode.commands.executeCommand("tapedeck.stopRun");

        assert.equal(during, "6: Replaying · stop");
        assert.equal(await ended, false);
        assert.equal(await waiting, false);
      });

      assert.deepEqual(session.state.runs, []);
      assert.equal(isRunning(Number(readFileSync(said, "utf8"))), false);
    });

    it("of a file outside of the folder is not begun", async () => {
      const outside = join(folder, "outside.test.ts");
      writeFileSync(outside, 'it("is outside", () => {});');
      const begun: unknown[] = [];
      const listening = session.onDidChange(() => begun.push(...session.state.runs));

      const target = { uri: vscode.Uri.file(outside).toString(), test: { path: ["is outside"], line: 1 } };
      const result = await press({ title: "", command: "tapedeck.recordTest", arguments: [target] });

      listening.dispose();

      assert.equal(result, undefined);
      assert.deepEqual(begun, []);
    });
  });
});
