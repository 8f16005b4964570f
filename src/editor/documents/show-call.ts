import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { TestRef } from "../../core/call/call.ts";
import { getDeclaredName, isInFile, formatTestTitle } from "../../core/call/test-names.ts";
import { getPosition } from "../window/problem.ts";
import type { BrokenFacts } from "../calls/call-facts-model.ts";
import { listTestsOfEntry } from "./document-actions.ts";
import { createCallUri, expectTestUri, createFileUri } from "./uris.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { Session } from "../session/session.ts";
import type { Documents } from "./documents.ts";
import { sayInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import type { CallTarget } from "../calls/call-node-model.ts";

interface CallSources {
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly documents: Pick<Documents, "finding" | "missing">;
}

/** Opens the readable document of a call; for an unreadable file, opens the file at its error. */
export async function showCall(target: CallTarget, deps: CallSources): Promise<void> {
  if ("entry" in target) {
    await deps.index.ensure([target.entry]);
    const facts = deps.index.facts(target.entry);
    if (facts?.kind === "broken") return showFile(target.entry, deps, facts);
  }
  const document = await vscode.workspace.openTextDocument(createCallUri(target, "all", deps));
  await vscode.window.showTextDocument(document, { preview: true });
}

export async function showFile(
  entry: string,
  { session }: Pick<CallSources, "session">,
  broken?: BrokenFacts,
): Promise<void> {
  const document = await vscode.workspace.openTextDocument(createFileUri(session, entry));
  const place = broken?.position && getPosition(broken.position);
  await vscode.window.showTextDocument(document, {
    preview: true,
    ...(place && { selection: new vscode.Range(place, place) }),
  });
}

export function listTestsOfTarget(target: CallTarget, deps: CallSources): readonly TestRef[] {
  if ("entry" in target) return listTestsOfEntry(target.entry, deps);
  const test = deps.documents.missing(target.finding)?.test;
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
    void sayInformation(
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
