import { wrongUsage } from "../../core/base/errors.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { acceptedNearest, cannotAccept } from "./accept-nearest-model.ts";
import { missingOf } from "./command-targets.ts";
import { pickMockReply } from "../mocks/pick-mock-reply.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import type { ViewDeps } from "./view-deps.ts";
import { flashStatus } from "../window/messages.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import * as vscode from "vscode";
import { encodeRecording } from "../../core/cassette/codec.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { acceptNearestEntry } from "./accept-nearest-entry.ts";
import { expectOwn } from "./command-targets.ts";
import { addressOf } from "../../core/cassette/address.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { fileUri } from "../documents/uris.ts";
import { showFile } from "../documents/show-call.ts";

/** Answers to a missing call without asking a provider: the nearest recording's, or one that a person writes. */
export function answerCommands(deps: ViewDeps) {
  return {
    [COMMANDS.acceptNearest]: async (...args) => {
      const [call] = await missingOf(args, deps, "Accept the nearest recording's reply for a missing call");
      if (call) await acceptNearest(call, deps);
    },
    [COMMANDS.writeReply]: async (...args) => {
      const [call] = await missingOf(args, deps, "Write the reply to a missing call");
      if (call) await writeReply(expectOwn(call, "written by hand"), deps);
    },
    [COMMANDS.takeMockReply]: async (...args) => {
      const [call] = await missingOf(args, deps, "Take a mock's reply for a missing call");
      const recording = call && (await pickMockReply(expectOwn(call, "taken from a mock"), deps));
      if (recording) await writeReply(call, deps, recording);
    },
  } satisfies Partial<CommandTable>;
}

async function acceptNearest(call: MissingCall, deps: ViewDeps): Promise<void> {
  const { miss, test } = call;
  const { session } = deps;
  const { nearest } = miss;
  if (nearest === undefined) {
    throw wrongUsage(
      "Nothing of this kind is recorded yet, so there is no nearest recording.",
      "Record the call, or write the reply by hand.",
    );
  }
  const reason = cannotAccept(nearest.differences);
  if (reason) throw reason;
  const cached = readCachedEntry(nearest.entry);
  if (cached) return acceptNearestEntry(call, cached, deps);
  const { store } = session.deck;
  // Another window or a run may have answered it since this page was opened.
  if (store.takes(miss.provider, miss.key).length === 0) {
    const recordedAt = new Date();
    const accepted = acceptedNearest({
      miss,
      nearest: await store.read(nearest.entry),
      recordedAt: recordedAt.toISOString(),
      test,
    });
    const recording = await session.deck.admit(accepted);
    const { entry } = await store.save(recording);
    const { test: maker } = recording;
    await session.recordings.propose({
      entry,
      recordedAt: recordedAt.getTime(),
      ...pickDefined({ test: maker }),
    });
  }
  flashStatus("check", "The nearest recording's reply answers this call now", 5_000);
}

const PLACEHOLDER = "Write the reply here.";

/**
 * The file comes into being when the person saves it: before that no test must be answered with it. A request that must
 * not be written is refused at once, a reply when it is saved.
 */
async function writeReply(
  call: MissingCall,
  deps: ViewDeps,
  recording = deps.session.deck.compose(call.miss, { text: PLACEHOLDER }),
): Promise<void> {
  const { session, written } = deps;
  const { miss } = call;
  const [taken] = session.deck.store.takes(miss.provider, miss.key);
  if (taken) return showFile(taken.entry, deps);
  const { entry } = addressOf(miss.provider, miss.key, 1);
  const text = await recordingText(recording, call, deps);
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

async function recordingText(
  recording: Recording,
  { test }: MissingCall,
  { session: { deck } }: ViewDeps,
): Promise<string> {
  return encodeRecording(await deck.admit({ ...recording, ...pickDefined({ test }) })).text;
}
