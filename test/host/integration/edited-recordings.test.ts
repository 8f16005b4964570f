import { join } from "node:path";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { aReplyOf } from "../../support/a-recording.ts";
import { eventually } from "../support/eventually.ts";
import { theSession } from "../support/session.ts";

describe("a recording that is edited by hand", () => {
  let session: Session;
  let entry: string;
  before(async () => {
    session = await theSession();
    ({ entry } = await session.deck.store.save(aReplyOf("hello", "What is edited by hand?")));
  });
  after(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await session.deck.store.remove(entry);
  });

  const uri = (): vscode.Uri => vscode.Uri.file(join(session.deck.dir, entry));
  const rules = (): string =>
    vscode.languages
      .getDiagnostics(uri())
      .map(({ code }) => code)
      .join();

  async function saveWith(before: string, after: string): Promise<void> {
    const document = await vscode.workspace.openTextDocument(uri());
    const at = document.getText().indexOf(before);
    const edit = new vscode.WorkspaceEdit();
    const range = new vscode.Range(document.positionAt(at), document.positionAt(at + before.length));
    edit.replace(uri(), range, after);
    await vscode.workspace.applyEdit(edit);
    await document.save();
  }

  it("is marked while it is unreadable, also when another program repairs it", async () => {
    await saveWith('"hello"', '"hello');
    await eventually("it is marked", () => rules().includes("unreadable"));

    const text = Buffer.from(await vscode.workspace.fs.readFile(uri())).toString();
    await vscode.workspace.fs.writeFile(uri(), Buffer.from(text.replace('"hello', '"hello"')));

    await eventually("the mark is gone", () => rules() === "");
  });
});
