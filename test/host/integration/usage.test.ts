import assert from "node:assert/strict";
import { cpSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { eventually } from "../support/eventually.ts";
import { theSession } from "../support/session.ts";

const CLASSIFY = "tests/classify.test.ts";

describe("what is used", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
  });

  const uriOf = (file: string): vscode.Uri => vscode.Uri.joinPath(session.folder.uri, file);
  const fileOf = (entry: string): vscode.Uri => vscode.Uri.file(join(session.deck.dir, entry));
  const codesOf = (uri: vscode.Uri): string[] =>
    vscode.languages.getDiagnostics(uri).map(({ code }) => String(code));

  async function fixesOf(uri: vscode.Uri): Promise<vscode.CodeAction[]> {
    await vscode.workspace.openTextDocument(uri);
    await eventually("its problem is told", () => codesOf(uri).length > 0);
    const [diagnostic] = vscode.languages.getDiagnostics(uri);
    assert.ok(diagnostic);
    return vscode.commands.executeCommand<vscode.CodeAction[]>(
      "vscode.executeCodeActionProvider",
      uri,
      diagnostic.range,
    );
  }

  const anEntry = async (): Promise<string> => {
    const [first] = await session.deck.store.list();
    assert.ok(first, "the sample workspace has recordings");
    return first.entry;
  };

  it("the check finds what the command line finds, and a copy goes by its quick fix", async () => {
    const entry = await anEntry();
    const copy = entry.replace(/(?:\.\d+)?\.json$/u, ".9.json");
    cpSync(join(session.deck.dir, entry), join(session.deck.dir, copy));

    void vscode.commands.executeCommand("tapedeck.checkRecordings");
    await eventually("the copy is found", () => codesOf(fileOf(copy)).includes("same-file"));
    const [fix] = await fixesOf(fileOf(copy));
    assert.match(fix?.title ?? "", /^Delete this copy/u);
    assert.ok(fix?.edit);
    await vscode.workspace.applyEdit(fix.edit);

    assert.ok(!existsSync(join(session.deck.dir, copy)));
    await eventually("the problem goes with it", () => codesOf(fileOf(copy)).length === 0);
  });

  it("a recording under a wrong name goes back to its place by its quick fix", async () => {
    const entry = await anEntry();
    const wrong = entry.replace(/\.json$/u, ".json.orig");
    renameSync(join(session.deck.dir, entry), join(session.deck.dir, wrong));

    void vscode.commands.executeCommand("tapedeck.checkRecordings");
    await eventually("it is found", () => codesOf(fileOf(wrong)).includes("stray-file"));
    const fix = (await fixesOf(fileOf(wrong))).find(({ title }) => title === "Rename it to fit its key");
    assert.ok(fix?.edit);
    await vscode.workspace.applyEdit(fix.edit);

    assert.ok(existsSync(join(session.deck.dir, entry)), "it is back");
    assert.ok(!existsSync(join(session.deck.dir, wrong)));
    await session.deck.store.read(entry);
  });

  it("a passed test says what it uses; an edit of its prompt, in whatever file, marks that until it is undone", async () => {
    const test = { file: CLASSIFY, name: ["classify", "sends a late parcel to shipping"] };
    const passed = await vscode.commands.executeCommand<boolean>("tapedeck.replayTest", {
      uri: uriOf(CLASSIFY).toString(),
      test: { path: test.name, line: 10 },
    });
    assert.equal(passed, true);
    const [used, ...others] = session.state.entriesOf(test);
    assert.ok(used && others.length === 0, "its recording is known");
    await eventually("its use is remembered", () => session.state.lastUseIn("src/ticket.ts") !== undefined);
    const document = await vscode.workspace.openTextDocument(uriOf("src/ticket.ts"));
    const at = document.positionAt(document.getText().indexOf("a desk lamp"));

    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, at, INSERTED);
    await vscode.workspace.applyEdit(edit);
    await eventually("it is marked", () => session.state.staleByEdit(used) !== undefined);
    const mark = session.state.staleByEdit(used);
    const marked = (await session.deck.store.list()).filter(({ entry }) => session.state.staleByEdit(entry));
    const undone = new vscode.WorkspaceEdit();
    undone.delete(
      document.uri,
      new vscode.Range(at, document.positionAt(document.offsetAt(at) + INSERTED.length)),
    );
    await vscode.workspace.applyEdit(undone);
    await document.save();
    await eventually("the mark is gone", () => session.state.staleByEdit(used) === undefined);

    assert.equal(mark?.isCertain, true);
    assert.match(mark.newKey ?? "", /^sha256:[0-9a-f]{64}$/u);
    assert.equal(mark.answeredBy, undefined);
    assert.ok(
      marked.some(({ entry }) => entry === used),
      "and only what sends that text",
    );
    assert.ok(marked.length < (await session.deck.store.list()).length);
  });

  after(() => rmSync(join(session.deck.dir, ".local"), { recursive: true, force: true }));
});

const INSERTED = "two chairs and ";
