import { joinList, localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { RemovedEntry } from "../../systems/metagpt/cache/rsp-cache-file.ts";
import { COMMANDS, type CommandHandler, type CommandTable } from "../window/ids.ts";
import { getPosition } from "../window/problem.ts";
import { createDocumentUri, readSubjectOfUri } from "../documents/uris.ts";
import { offerUndo, restore } from "./offer-undo.ts";
import type { ViewDeps } from "./command-targets.ts";
import { type CacheArguments, readCacheArguments } from "../calls/call-node-model.ts";
import { readFormat } from "./copy-commands.ts";
import { flashStatus, sayInformation } from "../window/messages.ts";
import { type CachedRef, getCachedEntry } from "../../core/cassette/cached-ref.ts";
import { showTest } from "../documents/show-call.ts";
import { localizeCount } from "../../core/base/plural.ts";

type CacheCommand = (given: CacheArguments, deps: ViewDeps) => Promise<void>;

/** Commands on calls that also work on entries of MetaGPT's caches. Other arguments are passed to `calls`. */
export function withCacheCommands(calls: Pick<CommandTable, Shared>, deps: ViewDeps) {
  const both = (id: Shared, command: CacheCommand): CommandHandler => {
    return async (...args) => {
      const given = readCacheArguments(args.length > 0 ? args : openOrSelected(deps));
      const isOurs = given.refs.length + given.files.length > 0 && readFormat(args) !== "rows";
      if (isOurs) await command(given, deps);
      if (!isOurs || (given.hasOthers && args.length > 0)) await calls[id](...args);
    };
  };
  return {
    [COMMANDS.openCall]: both(COMMANDS.openCall, openEntry),
    [COMMANDS.openFile]: both(COMMANDS.openFile, openFile),
    [COMMANDS.delete]: both(COMMANDS.delete, deleteEntries),
    [COMMANDS.copy]: both(COMMANDS.copy, copyKeys),
    [COMMANDS.goToTest]: both(COMMANDS.goToTest, goToTest),
  } satisfies Pick<CommandTable, Shared>;
}

type Shared = (typeof COMMANDS)["openCall" | "openFile" | "delete" | "copy" | "goToTest"];

/** The targets of a command without arguments: the open document, or else the selection in the view. */
function openOrSelected({ session, view }: ViewDeps): readonly unknown[] {
  const uri = vscode.window.activeTextEditor?.document.uri;
  const subject = uri && readSubjectOfUri(uri);
  return subject && subject.folder === session.tag ? [subject.of] : [view.selection];
}

async function openEntry({ refs: [ref] }: CacheArguments, { session }: ViewDeps): Promise<void> {
  if (ref)
    await vscode.window.showTextDocument(createDocumentUri(session, { of: { cached: ref }, part: "all" }));
}

async function goToTest({ refs }: CacheArguments, { session }: ViewDeps): Promise<void> {
  const tests = refs.flatMap((ref) => session.state.testsOf(getCachedEntry(ref)));
  if (tests.length > 0) await showTest(tests, { session });
  else
    void sayInformation(localize("No known test uses this entry. Run the tests once while Tapedeck is on."));
}

async function openFile({ refs, files }: CacheArguments, { session, caches }: ViewDeps): Promise<void> {
  const show = (file: string, options: vscode.TextDocumentShowOptions): Thenable<unknown> =>
    vscode.window.showTextDocument(vscode.Uri.joinPath(session.folder.uri, file), {
      preview: true,
      ...options,
    });
  for (const file of files) await show(file, {});
  for (const ref of refs) {
    const place = getPosition(await caches.find(ref));
    await show(ref.file, { selection: new vscode.Range(place, place) });
  }
}

/** Entries that were deleted before a failure can be restored, too. */
async function deleteEntries({ refs }: CacheArguments, deps: ViewDeps): Promise<void> {
  const removed: RemovedEntry[] = [];
  try {
    for (const ref of refs) removed.push(await deps.caches.remove(ref));
  } finally {
    const done = localizeCount(
      removed.length,
      "Deleted {0} entry from {1}.",
      "Deleted {0} entries from {1}.",
      namesOf(refs),
    );
    if (removed.length > 0) offerUndo({ done, undo: () => restore(removed) }, deps);
  }
}

function namesOf(refs: readonly CachedRef[]): string {
  return joinList([...new Set(refs.map(({ file }) => file))]);
}

async function copyKeys({ refs }: CacheArguments, { caches }: ViewDeps): Promise<void> {
  const found = await Promise.all(refs.map((ref) => caches.find(ref)));
  if (found.length === 0) return;
  await vscode.env.clipboard.writeText(found.map(({ key }) => key).join("\n"));
  flashStatus("copy", localizeCount(found.length, "Copied {0} key", "Copied {0} keys"));
}
