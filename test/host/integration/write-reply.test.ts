import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import * as vscode from "vscode";
import type { Session } from "../../../src/editor/session/session.ts";
import { missingIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { addressOf, askAt, theSession, untilReady } from "../support/session.ts";

/** Made up, and of the shape that is looked for. */
const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

describe("writing the reply to a missing call", () => {
  let session: Session;
  before(async () => {
    session = await theSession();
    await untilReady(session);
    await vscode.workspace.getConfiguration("files").update("autoSave", "off", true);
  });
  after(() => vscode.workspace.getConfiguration("files").update("autoSave", undefined, true));

  /** Begins to write the reply to a call that is missed, and gives the editor with the recording. */
  async function begun(prompt: string): Promise<vscode.TextDocument> {
    await askAt(await addressOf(session), prompt);
    const missing = await eventually("missed", () =>
      missingIn(session).find(({ miss }) => miss.label.includes(prompt)),
    );
    await vscode.commands.executeCommand("tapedeck.writeReply", { finding: missing.id });
    return eventually("begun", () => {
      const document = vscode.window.activeTextEditor?.document;
      return document?.isUntitled === true && document.getText().includes(prompt) && document;
    });
  }

  async function write(document: vscode.TextDocument, before: string, after: string): Promise<void> {
    const at = document.getText().indexOf(before);
    assert.ok(at >= 0, `${before} is in the editor`);
    const range = new vscode.Range(document.positionAt(at), document.positionAt(at + before.length));
    const edit = new vscode.WorkspaceEdit();
    edit.replace(document.uri, range, after);
    await vscode.workspace.applyEdit(edit);
  }

  it("marks a secret in it when it is saved; without the secret it answers", async () => {
    const prompt = `written by hand ${Date.now()}`;
    const untitled = await begun(prompt);
    const uri = untitled.uri.with({ scheme: "file" });
    const file = uri.fsPath;
    const rules = (): readonly unknown[] => vscode.languages.getDiagnostics(uri).map(({ code }) => code);
    await write(untitled, "Write the reply here.", `Use ${SECRET}.`);

    await untitled.save();
    await eventually("it is marked", () => rules().includes("secret"));
    const saved = await vscode.workspace.openTextDocument(uri);
    await write(saved, SECRET, "nothing");
    await saved.save();
    await eventually("the mark is gone", () => rules().length === 0);
    const answered = await askAt(await addressOf(session), prompt);

    assert.match(await answered.text(), /Use nothing\./u);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    rmSync(file);
  });
});
