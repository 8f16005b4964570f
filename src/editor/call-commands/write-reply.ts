import * as vscode from "vscode";
import { encodeRecording } from "../../core/cassette/codec.ts";
import { addressOf } from "../../core/cassette/address.ts";
import { COMMANDS } from "../window/ids.ts";
import { missingOf } from "./command-targets.ts";
import { fileUri } from "../documents/recording-file.ts";
import { showFile } from "../documents/show-call.ts";
import type { CommandTable } from "../window/commands.ts";
import type { ViewDeps } from "./view-deps.ts";
import type { MissingCall } from "../session/missing-calls-model.ts";

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

/**
 * The file comes into being when the person saves it: before that no test must be answered with it. A request that must
 * not be written is refused at once, a reply when it is saved.
 */
async function writeReply(call: MissingCall, deps: ViewDeps): Promise<void> {
  const { session, written } = deps;
  const { miss } = call;
  const [taken] = session.deck.store.takes(miss.provider, miss.key);
  if (taken) return showFile(taken.entry, deps);
  const { entry } = addressOf(miss.provider, miss.key, 1);
  const text = await textOf(call, deps);
  const file = fileUri(session, entry);
  written.begin(entry, file);
  const uri = file.with({ scheme: "untitled" });
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document, { preview: false });
  if (document.getText() === "") {
    await editor.edit((edit) => edit.insert(new vscode.Position(0, 0), text));
    await vscode.languages.setTextDocumentLanguage(document, "json");
  }
  const at = document.getText().indexOf(PLACEHOLDER);
  if (at < 0) return;
  const range = new vscode.Range(document.positionAt(at), document.positionAt(at + PLACEHOLDER.length));
  editor.selection = new vscode.Selection(range.start, range.end);
  editor.revealRange(range, vscode.TextEditorRevealType.InCenter);
}

async function textOf({ miss, test }: MissingCall, { session }: ViewDeps): Promise<string> {
  const { deck } = session;
  const recording = deck.compose(miss, { text: PLACEHOLDER });
  return encodeRecording(await deck.admit({ ...recording, ...(test && { test }) })).text;
}
