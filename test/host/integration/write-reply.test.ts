import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync } from "node:fs";
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

  it("keeps no file with a secret, but what was written; without the secret it is kept and answers", async () => {
    const prompt = `written by hand ${Date.now()}`;
    const untitled = await begun(prompt);
    const file = untitled.uri.fsPath;
    await write(untitled, "Write the reply here.", `Use ${SECRET}.`);

    await untitled.save();
    const openFile = (): vscode.TextDocument | undefined =>
      vscode.workspace.textDocuments.find(({ uri }) => uri.fsPath === file && uri.scheme === "file");
    const state = (): string =>
      `taken away again, its text kept; the file is ${existsSync(file) ? "there" : "gone"}, its editor ${
        openFile()?.isDirty === true ? "unsaved" : openFile() ? "saved" : "gone"
      }`;
    const refused = await eventually(state, () => {
      const found = openFile();
      return !existsSync(file) && found?.isDirty === true && found.getText().includes(SECRET) && found;
    });
    await write(refused, SECRET, "nothing");
    await refused.save();
    const kept = await eventually("kept", () => existsSync(file) && readFileSync(file, "utf8"));
    const answered = await askAt(await addressOf(session), prompt);

    assert.match(kept, /Use nothing\./u);
    assert.match(await answered.text(), /Use nothing\./u);
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    rmSync(file);
  });
});
