import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { TestRef } from "../../core/call/call.ts";
import { getDeclaredName, isInFile, formatTestTitle } from "../../core/call/test-names.ts";
import { getPosition } from "../window/problem.ts";
import { listTestsOfEntry } from "./document-actions.ts";
import { createCallUri, expectTestUri, createFileUri } from "./uris.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import type { DocumentFolder } from "./documents.ts";
import type { Caches } from "../metagpt/caches.ts";
import { showInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import type { CallTarget } from "../calls/call-node-model.ts";

interface CallSources extends Pick<DocumentFolder, "session" | "index" | "documents"> {
  readonly caches: Pick<Caches, "find">;
}

/** Opens the readable document of a call; for an unreadable file, opens the file at its error. */
export async function showCall(target: CallTarget, deps: CallSources): Promise<void> {
  if ("entry" in target) {
    await deps.index.ensure([target.entry]);
    if (deps.index.facts(target.entry)?.kind === "broken") return showFile(target.entry, deps);
  }
  await vscode.window.showTextDocument(createCallUri(target, "all", deps), { preview: true });
}

/** Opens the file of a recording, at its error if it is unreadable, or the line of an entry in MetaGPT's cache. */
export async function showFile(entry: string, { session, index, caches }: CallSources): Promise<void> {
  const cached = readCachedEntry(entry);
  await index.ensure([entry]);
  const facts = index.facts(entry);
  const at = cached ? await caches.find(cached) : facts?.kind === "broken" ? facts.position : undefined;
  const uri = cached ? vscode.Uri.joinPath(session.folder.uri, cached.file) : createFileUri(session, entry);
  const place = at && getPosition(at);
  await vscode.window.showTextDocument(uri, {
    preview: true,
    ...(place && { selection: new vscode.Range(place, place) }),
  });
}

export function listTestsOfTarget(
  target: CallTarget,
  deps: Pick<CallSources, "session" | "index" | "documents">,
): readonly TestRef[] {
  if ("entry" in target) return listTestsOfEntry(target.entry, deps);
  const test = deps.documents.finding(target.finding)?.test;
  return test ? [test] : [];
}

/** Opens the test's file at the call, or else at the test's title. If several tests made the call, the person picks. */
export async function showTest(
  tests: readonly TestRef[],
  { session }: Pick<CallSources, "session">,
): Promise<void> {
  const test =
    tests.length > 1 ? await pickTest(tests, localize("Several tests make this call. Select one")) : tests[0];
  if (test === undefined) return;
  if (!isInFile(test)) {
    void showInformation(
      localize("This call comes from a prompt or a command line, so there is no file to open."),
    );
    return;
  }
  const uri = expectTestUri(session, test.file);
  const document = await vscode.workspace.openTextDocument(uri);
  const line = test.line === undefined ? lineOfTitle(document, test) : test.line - 1;
  const place = new vscode.Position(Math.max(0, Math.min(line, document.lineCount - 1)), 0);
  await vscode.window.showTextDocument(document, { selection: new vscode.Range(place, place) });
}

export async function pickTest(tests: readonly TestRef[], placeholder: string): Promise<TestRef | undefined> {
  const items = tests.map((test) => ({
    label: formatTestTitle(test) || test.file,
    description: test.file,
    test,
  }));
  return (await pickOne(items, { placeholder }))?.test;
}

function lineOfTitle(document: vscode.TextDocument, test: TestRef): number {
  const title = getDeclaredName(test).at(-1);
  if (title === undefined) return 0;
  const at = document.getText().indexOf(title);
  return at < 0 ? 0 : document.positionAt(at).line;
}
