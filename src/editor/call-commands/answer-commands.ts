import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { createWrongUsage } from "../../core/base/errors.ts";
import { COMMANDS, type CommandTable } from "../window/ids.ts";
import { createAcceptedNearest, explainCannotAccept } from "./accept-nearest-model.ts";
import { type ViewDeps, expectOwn, chooseMissing } from "./command-targets.ts";
import { flashStatus } from "../window/messages.ts";
import type { MissingCall } from "../findings/findings-model.ts";
import { encodeRecording } from "../../core/cassette/codec.ts";
import { type CachedRef, readCachedEntry } from "../../core/cassette/cached-ref.ts";
import { createRecordingAddress } from "../../core/cassette/address.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { createFileUri } from "../documents/uris.ts";
import { showFile } from "../documents/show-call.ts";
import { offerUndo } from "./offer-undo.ts";
import { readMissedKey } from "../metagpt/cache-file-model.ts";

/** Commands that answer a missing call without a provider: with the nearest reply, or with a written one. */
export function createAnswerCommands(deps: ViewDeps) {
  return {
    [COMMANDS.acceptNearest]: async (...args) => {
      const [call] = await chooseMissing(
        args,
        deps,
        localize("Select a missing call to answer with the nearest reply"),
        ({ miss: { nearest } }) => nearest !== undefined && !explainCannotAccept(nearest.differences),
      );
      if (call) await acceptNearest(call, deps);
    },
    [COMMANDS.writeReply]: async (...args) => {
      const [call] = await chooseMissing(args, deps, localize("Select a missing call to write a reply for"));
      if (call) await writeReply(expectOwn(call), deps);
    },
  } satisfies Partial<CommandTable>;
}

async function acceptNearest(call: MissingCall, deps: ViewDeps): Promise<void> {
  const { miss, test } = call;
  const { session } = deps;
  const { nearest } = miss;
  if (nearest === undefined) {
    throw createWrongUsage(
      localize("There is no similar recording yet."),
      localize("Record the call, or write the reply."),
    );
  }
  const reason = explainCannotAccept(nearest.differences);
  if (reason) throw reason;
  const cached = readCachedEntry(nearest.entry);
  if (cached) return acceptNearestEntry(call, cached, deps);
  const { store } = session.deck;
  // Another window or run may have answered the call since this page was opened.
  if (store.takes(miss.provider, miss.key).length === 0) {
    const recordedAt = new Date();
    const accepted = createAcceptedNearest({
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
  flashStatus("check", localize("The nearest reply answers this call now"), 5_000);
}

const PLACEHOLDER = localize("Write the reply here.");

/**
 * Opens a new recording in an editor. The file is created when the person saves it, so that no test gets an unfinished
 * reply. Requests with secrets are refused. Secrets in replies are marked when they are saved.
 */
async function writeReply(call: MissingCall, deps: ViewDeps): Promise<void> {
  const { session } = deps;
  const { miss } = call;
  const [taken] = session.deck.store.takes(miss.provider, miss.key);
  if (taken) return showFile(taken.entry, deps);
  const { entry } = createRecordingAddress(miss.provider, miss.key, 1);
  const text = await recordingText(call, deps);
  const file = createFileUri(session, entry);
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

async function recordingText({ miss, test }: MissingCall, { session: { deck } }: ViewDeps): Promise<string> {
  const recording = deck.compose(miss, { text: PLACEHOLDER });
  return encodeRecording(await deck.admit({ ...recording, ...pickDefined({ test }) })).text;
}

/** Adds an entry for a missing call to MetaGPT's cache, with the answer of the nearest entry. */
async function acceptNearestEntry(call: MissingCall, ref: CachedRef, deps: ViewDeps): Promise<void> {
  const { session, caches } = deps;
  const key = readMissedKey(call.miss);
  if (key === undefined)
    throw createWrongUsage(
      localize(
        "The key of this call contains a secret that Tapedeck redacted, so it cannot be added to {0}.",
        ref.file,
      ),
      localize("Record the test, so that MetaGPT writes the entry."),
    );
  await caches.copyAnswer(ref, key);
  session.findings.dismiss([call]);
  const undo = async (): Promise<void> => {
    await caches.remove({ file: ref.file, digest: call.miss.key.slice("sha256:".length) });
    session.findings.restore([call]);
  };
  offerUndo(
    { done: localize("Added an entry to {0} with the nearest entry's answer.", ref.file), undo },
    deps,
  );
}
