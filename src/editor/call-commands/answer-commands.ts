import * as vscode from "vscode";
import { wrongUsage } from "../../core/base/errors.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { acceptedNearest, cannotAccept } from "./accept-nearest-model.ts";
import { type ViewDeps, expectOwn, missingOf } from "./command-targets.ts";
import type { Recording } from "../../core/cassette/recording.ts";
import { flashStatus, sayInformation } from "../window/messages.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import { encodeRecording } from "../../core/cassette/codec.ts";
import { type CachedRef, readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { addressOf } from "../../core/cassette/address.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { fileUri } from "../documents/uris.ts";
import { showFile } from "../documents/show-call.ts";
import { offerUndo } from "./offer-undo.ts";
import { missedKey } from "../metagpt/cache-file-model.ts";
import { messageText } from "../../core/view/message-text.ts";
import { recordingOfMiss } from "../../core/view/miss.ts";
import { shorten } from "../../core/view/row.ts";
import type { Session } from "../session/session.ts";
import { pickOne } from "../window/picks.ts";
import { mockAnswers } from "../mocks/mock-answers-model.ts";

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

/** Gives a miss in MetaGPT's cache the answer of the nearest entry. */
async function acceptNearestEntry(call: MissingCall, ref: CachedRef, deps: ViewDeps): Promise<void> {
  const { session, caches } = deps;
  const key = missedKey(call.miss);
  if (key === undefined)
    throw wrongUsage(
      `The key of this call holds a secret that Tapedeck redacted, so no entry can be written to ${ref.file}.`,
      "Record the test: MetaGPT then writes the entry.",
    );
  await caches.copyAnswer(ref, key);
  session.findings.dismiss([call]);
  const undo = async (): Promise<void> => {
    await caches.remove({ file: ref.file, digest: call.miss.key.slice("sha256:".length) });
    session.findings.recalled([call]);
  };
  offerUndo({ done: `Added an entry to ${ref.file} with the nearest entry's answer.`, undo }, deps);
}

/** Lets a person pick what a mock would answer; undefined where they gave up, or none would. */
async function pickMockReply(
  { miss, madeUp }: MissingCall,
  { session: { deck } }: { readonly session: Session },
): Promise<Recording | undefined> {
  const recordedAt = new Date().toISOString();
  const given = madeUp && {
    label: "What it was given",
    description: madeUp.by,
    recording: recordingOfMiss(miss, madeUp.reply, { recordedAt }),
    view: deck.describeMadeUp(madeUp),
  };
  const would = (await mockAnswers(miss, deck)).flatMap(({ name, mocked }) =>
    "problem" in mocked ? [] : [{ label: name, description: mocked.by, ...mocked }],
  );
  const items = [...(given ? [given] : []), ...would].map((one) => ({
    ...one,
    icon: "beaker",
    detail: shorten(messageText(one.view.projection.messages[0]), 200) || "(empty)",
  }));
  if (items.length === 0) {
    void sayInformation("No mock has an answer to this call.");
    return undefined;
  }
  const placeholder = "Choose the answer to record. It opens first, and is recorded when you save it";
  return (await pickOne(items, { title: "Tapedeck: take a mock's reply", placeholder }))?.recording;
}
