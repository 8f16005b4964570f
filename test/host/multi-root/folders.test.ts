import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TapedeckApi } from "../../../src/editor/extension/extension.ts";
import type { Session } from "../../../src/editor/session/session.ts";
import { missingIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { addressOf, askAt, pointOtherExtensions, theApi, untilReady } from "../support/session.ts";

const CLASSIFY = "tests/classify.test.ts";

async function ask(session: Session, prompt: string): Promise<Response> {
  const response = await askAt(await addressOf(session), prompt);
  await response.text();
  return response;
}

const fileIn = ({ folder }: Session, file: string): vscode.Uri => vscode.Uri.joinPath(folder.uri, file);

const problemsIn = (session: Session, file: string): vscode.Diagnostic[] =>
  vscode.languages.getDiagnostics(fileIn(session, file)).filter(({ source }) => source === "tapedeck");

describe("two folders in one window", () => {
  let api: TapedeckApi;
  let desk: Session;
  let shop: Session;
  before(async () => {
    api = await theApi();
    const [one, other] = await eventually("a session for each folder", () => {
      const found = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => api.session(uri) ?? []);
      return found.length === 2 && found;
    });
    assert.ok(one && other);
    [desk, shop] = [one, other];
    await Promise.all([untilReady(desk), untilReady(shop)]);
  });
  afterEach(async () => {
    for (const session of [desk, shop]) if (session.mode !== "strict") await session.setMode("strict");
  });

  it("have a server, a token, a cassette folder and a mode each", async () => {
    await shop.setMode("record");

    assert.deepEqual([desk.folder.name, shop.folder.name], ["desk", "shop"]);
    assert.deepEqual([desk.mode, shop.mode], ["strict", "record"]);
    assert.notEqual(await addressOf(desk), await addressOf(shop));
    assert.equal(desk.deck.dir, fileIn(desk, ".tapedeck").fsPath);
    assert.equal(shop.deck.dir, fileIn(shop, ".tapedeck").fsPath);
  });

  it("record a call each into its own folder, while the other's mode and recordings stay", async () => {
    const prompt = `asked in one folder ${Date.now()}`;
    await shop.setMode("record");

    const recorded = await ask(shop, prompt);
    const missed = await ask(desk, prompt);
    await shop.setMode("strict");
    await desk.setMode("record");
    const alsoRecorded = await ask(desk, prompt);

    assert.deepEqual([recorded.status, missed.status, alsoRecorded.status], [200, 404, 200]);
    const entries = [desk, shop].map(
      (session) => session.state.calls.findLast(({ outcome }) => outcome === "recorded")?.entry,
    );
    assert.ok(entries[0]);
    assert.equal(entries[0], entries[1], "the same call has the same name in both");
    for (const session of [desk, shop]) {
      await eventually("it is on disk", () => existsSync(fileIn(session, `.tapedeck/${entries[0]}`).fsPath));
      await session.recordings.discard([entries[0]]);
    }
  });

  it("mark a miss in the file of the folder whose test made it, and offer to repair it there", async () => {
    const uri = fileIn(shop, CLASSIFY);

    const passed = await vscode.commands.executeCommand("tapedeck.replayTest", { uri, lineNumber: 14 });

    assert.equal(passed, false);
    const [problem, ...more] = await eventually("it is marked", () => {
      const problems = problemsIn(shop, CLASSIFY);
      return problems.length > 0 && problems;
    });
    assert.equal(problem?.range.start.line, 14);
    assert.deepEqual(more, []);
    assert.deepEqual(problemsIn(desk, CLASSIFY), []);
    assert.deepEqual(missingIn(desk), []);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      uri,
      problem.range,
      vscode.CodeActionKind.QuickFix.value,
    );
    const own = actions.filter(({ command }) => command?.command.startsWith("tapedeck."));
    assert.equal(new Set(own.map(({ title }) => title)).size, own.length, "each is offered once");
    const show = own.find(({ command }) => command?.command === "tapedeck.goToMissing")?.command;
    assert.ok(show, "the missing call can be shown");
    await vscode.commands.executeCommand(show.command, ...(show.arguments as unknown[]));
    const shown = vscode.window.activeTextEditor?.document;
    assert.equal(shown?.uri.scheme, "tapedeck");
    assert.equal(api.session(shown.uri), shop);
    assert.doesNotMatch(shown.getText(), /no longer known/u);

    const recorded = await vscode.commands.executeCommand("tapedeck.recordTest", { uri, lineNumber: 14 });

    assert.equal(recorded, true);
    await eventually("the mark goes", () => problemsIn(shop, CLASSIFY).length === 0);
    assert.equal(shop.state.candidates.size, 1);
    assert.equal(desk.state.candidates.size, 0);
    await vscode.commands.executeCommand("tapedeck.discard", [...shop.state.candidates.keys()], {
      forFolder: shop.folder.uri.toString(),
    });
    await eventually("it is discarded", () => shop.state.candidates.size === 0);
    shop.findings.dismiss(missingIn(shop));
  });

  it("take the commands of the folder of the active editor", async () => {
    await vscode.window.showTextDocument(fileIn(shop, "README.md"), { preview: false });

    await vscode.commands.executeCommand("tapedeck.selectMode", "lenient");

    assert.deepEqual([desk.mode, shop.mode], ["strict", "lenient"]);
  });

  it("have lenses above their own tests, each once", async () => {
    for (const session of [desk, shop]) {
      const uri = fileIn(session, CLASSIFY);
      await vscode.workspace.openTextDocument(uri);
      const titles = async (): Promise<string[]> => {
        const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
          "vscode.executeCodeLensProvider",
          uri,
          99,
        );
        return lenses.flatMap(({ command }) => command?.title ?? []);
      };

      await eventually(`${session.folder.name} has lenses`, async () => (await titles()).length > 0);

      const ofFile = (await titles()).filter((title) => title.includes("Record file"));
      assert.equal(ofFile.length, 1, session.folder.name);
    }
  });

  describe("their variables", () => {
    const dir = mkdtempSync(join(tmpdir(), "folders-"));
    const probe = join(dir, "probe.cjs");
    before(() => {
      const code =
        'const fs = require("node:fs");fs.writeFileSync(process.argv[2] + ".part", process.env.TAPEDECK_URL ?? "none");fs.renameSync(process.argv[2] + ".part", process.argv[2]);';
      writeFileSync(probe, code);
    });
    after(() => rmSync(dir, { recursive: true, force: true }));

    const written = (file: string): Promise<string> =>
      eventually(`${file} is written`, () => existsSync(file) && readFileSync(file, "utf8"));

    it("reach a terminal that is opened in the folder", async () => {
      for (const session of [shop, desk]) {
        // The folder of a remote terminal is that of the editor in use.
        await vscode.window.showTextDocument(fileIn(session, "README.md"), { preview: false });
        const file = join(dir, `terminal-${session.folder.name}`);
        const terminal = vscode.window.createTerminal({ name: "probe", cwd: session.folder.uri });

        terminal.sendText(`node "${probe}" "${file}"`);

        assert.equal(await written(file), await addressOf(session), session.folder.name);
        terminal.dispose();
      }
    });

    it("reach a debug session of the folder", async () => {
      for (const session of [shop, desk]) {
        const file = join(dir, `debug-${session.folder.name}`);
        const launch = { type: "node", request: "launch", name: "probe", program: probe, args: [file] };

        await vscode.debug.startDebugging(session.folder, { ...launch, console: "internalConsole" });

        assert.equal(await written(file), await addressOf(session), session.folder.name);
      }
    });

    for (const kind of ["shell", "process"] as const)
      it(`reach a task of the folder, run as a ${kind}`, async () => {
        for (const session of [shop, desk]) {
          const { name } = session.folder;
          const file = join(dir, `${kind}-${name}`);
          const args = [probe, file];
          const execution =
            kind === "shell"
              ? new vscode.ShellExecution("node", args)
              : new vscode.ProcessExecution("node", args);

          await vscode.tasks.executeTask(
            new vscode.Task({ type: kind }, session.folder, `${kind} in ${name}`, "test", execution),
          );

          assert.equal(await written(file), await addressOf(session), name);
        }
      });

    it("reach what other extensions start in the folder, and elsewhere are the first one's", async () => {
      const started = async (name: string, cwd: string): Promise<string> => {
        const file = join(dir, `started-${name}`);
        spawnSync(process.execPath, [probe, file], { cwd });
        return written(file);
      };
      await pointOtherExtensions(true, "TAPEDECK_FOLDERS");
      // Each folder adds its own part.
      const addresses = [await addressOf(shop), await addressOf(desk)];
      await eventually("both folders are in it", () =>
        addresses.every((address) => process.env["TAPEDECK_FOLDERS"]?.includes(address)),
      );

      assert.equal(await started("shop", fileIn(shop, "tests").fsPath), await addressOf(shop));
      assert.equal(await started("desk", desk.folder.uri.fsPath), await addressOf(desk));
      assert.equal(await started("elsewhere", dir), await addressOf(desk));
      await pointOtherExtensions(false);
    });
  });

  it("are joined by a folder within one of them, which is the deeper one's, and left by it without a change", async () => {
    const inner = fileIn(desk, "packages/inner");
    mkdirSync(fileIn(desk, "packages/inner/tests").fsPath, { recursive: true });
    cpSync(fileIn(desk, ".tapedeck").fsPath, join(inner.fsPath, ".tapedeck"), { recursive: true });
    const before = [await addressOf(desk), await addressOf(shop)];

    assert.ok(vscode.workspace.updateWorkspaceFolders(2, 0, { uri: inner }));
    const session = await eventually("it has a session", () => {
      const found = api.session(vscode.Uri.joinPath(inner, "tests/a.test.ts"));
      return found !== desk && found;
    });
    await untilReady(session);
    const address = await addressOf(session);
    const missed = await ask(session, `asked within ${Date.now()}`);

    assert.equal(session.folder.uri.toString(), inner.toString());
    assert.equal(missed.status, 404);
    assert.deepEqual(missingIn(desk), []);
    assert.ok(!before.includes(address));

    assert.ok(vscode.workspace.updateWorkspaceFolders(2, 1));
    await eventually("its server is gone", async () =>
      fetch(address).then(
        () => false,
        () => true,
      ),
    );

    assert.equal(api.session(inner), desk);
    assert.deepEqual([await addressOf(desk), await addressOf(shop)], before);
    assert.deepEqual([desk.lifecycle.status.kind, shop.lifecycle.status.kind], ["ready", "ready"]);
  });
});
