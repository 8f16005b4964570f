import * as vscode from "vscode";
import { encodeRecording } from "../../core/cassette/codec.ts";
import { addressOf } from "../../core/cassette/address.ts";
import { COMMANDS } from "../ids.ts";
import type { MissingCall } from "../session-model.ts";
import { missingOf } from "./command-targets.ts";
import { fileUri } from "./recording-file.ts";
import { showFile } from "./show-call.ts";
import type { CommandTable } from "../commands.ts";
import type { ViewDeps } from "./view-deps.ts";

const PLACEHOLDER = "Write the reply here.";

/** A recording with the request filled in, of which a person writes the reply. */
export function writeReplyCommands(deps: ViewDeps): CommandTable {
  return {
    [COMMANDS.writeReply]: async (...args) => {
      const [call] = await missingOf(args, deps, "Write the reply to a missing call");
      if (call) await writeReply(call, deps);
    },
  };
}

/** The file comes into being when the person saves it: before that no test must be answered with it. */
async function writeReply(call: MissingCall, deps: ViewDeps): Promise<void> {
  const { session } = deps;
  const { miss } = call;
  const [taken] = session.deck.store.takes(miss.provider, miss.key);
  if (taken) return showFile(taken.entry, deps);
  const { entry } = addressOf(miss.provider, miss.key, 1);
  const uri = fileUri(session, entry).with({ scheme: "untitled" });
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  if (document.getText() === "") {
    const text = textOf(call, deps);
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
    await vscode.languages.setTextDocumentLanguage(document, "json");
  }
  const at = document.getText().indexOf(PLACEHOLDER);
  if (at < 0) return;
  const range = new vscode.Range(document.positionAt(at), document.positionAt(at + PLACEHOLDER.length));
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
}

function textOf({ miss, test }: MissingCall, { session }: ViewDeps): string {
  const recording = session.deck.compose(miss, { text: PLACEHOLDER });
  return encodeRecording({ ...recording, ...(test && { test }) }).text;
}
