import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { type CallTarget, isNode, readChosen, readTargets } from "../calls/call-node-model.ts";
import { createWrongUsage } from "../../core/base/errors.ts";
import { findEntryOfFile, readSubjectOfUri } from "../documents/uris.ts";
import { pickRecording } from "./pick-recording.ts";
import { showInformation } from "../window/messages.ts";
import { pickOne } from "../window/picks.ts";
import { type MissingCall, isMissingCall, listMissingCalls } from "../findings/findings-model.ts";
import type { Caches } from "../metagpt/caches.ts";
import type { Session } from "../session/session.ts";
import type { CallsModel } from "../calls-tree/calls-model.ts";
import { type Documents, listFindings } from "../documents/documents.ts";
import type { CallsView } from "../calls-tree/calls-view.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { UndoStack } from "../window/undo-model.ts";

/**
 * Returns the targets of a command: its arguments, or else the open document, or else the selection in the view.
 * @throws TapedeckError if the editor passed nothing for a line, which happens while it redraws the line
 */
export function listTargets(args: readonly unknown[], { session, view }: ViewDeps): readonly CallTarget[] {
  const given = readTargets(args, view.current);
  // Doing nothing or failing is better than acting on another row than the clicked one.
  if (given.length > 0 || hasRows(args)) return given;
  if (args.length > 0 && args[0] === undefined) throw createDrawnAnewError();
  const { tag } = session;
  const open = openTarget(session);
  const selected = view.selection.filter(({ folder }) => folder === undefined || folder === tag);
  return open ? [open] : readTargets([selected]);
}

/** As `listTargets`. If there are no targets, the person picks a recording. */
export async function chooseTargets(
  args: readonly unknown[],
  deps: ViewDeps,
  question: string,
): Promise<readonly CallTarget[]> {
  const targets = listTargets(args, deps);
  if (targets.length > 0 || hasRows(args)) return targets;
  const picked = await pickRecording(deps, { placeholder: question });
  return picked === undefined ? [] : [picked];
}

const hasRows = (args: readonly unknown[]): boolean => readChosen(args).some(isNode);

/** Returns the entries among targets: recordings, and entries of MetaGPT's caches. */
export const listEntries = (targets: readonly CallTarget[]): readonly string[] =>
  targets.flatMap((target) => ("entry" in target ? target.entry : []));

export const createDrawnAnewError = (): Error =>
  createWrongUsage(localize("This row was updated while you clicked it."), localize("Try again."));

/** Removes the argument that commands in the view's title get for the focused line when there is none. */
export function withoutUnfocused(args: readonly unknown[]): readonly unknown[] {
  return args.filter((one) => one !== undefined);
}

function openTarget(session: Session): CallTarget | undefined {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri === undefined) return undefined;
  const subject = readSubjectOfUri(uri);
  if (subject && subject.folder !== session.tag) return undefined;
  if (subject) return "entry" in subject.of || "finding" in subject.of ? subject.of : undefined;
  const entry = findEntryOfFile(session, uri);
  return entry === undefined ? undefined : { entry };
}

/** Returns the missing calls among the targets. If there are none but several calls are missing, the person picks one. */
export async function chooseMissing(
  args: readonly unknown[],
  deps: ViewDeps,
  question: string,
  fits: (call: MissingCall) => boolean = () => true,
): Promise<readonly MissingCall[]> {
  const known = listFindings(listTargets(args, deps), deps).filter(isMissingCall);
  if (known.length > 0) return known;
  const all = listMissingCalls(deps.session.state.findings);
  // If none fits, the command reports why.
  const missing = all.some(fits) ? all.filter(fits) : all.slice(0, 1);
  if (missing.length === 0) void showInformation(localize("No call is missing."));
  if (missing.length <= 1) return missing;
  const picked = await pickMissing(missing, question);
  return picked ? [picked] : [];
}

/** Returns a call that a recording can answer. @throws TapedeckError for a call that is missing in MetaGPT's cache */
export function expectOwn(call: MissingCall): MissingCall {
  const { cacheFile } = call.miss;
  if (cacheFile === undefined) return call;
  throw createWrongUsage(
    localize("This call reads {0} and sends no request, so this command does not apply to it.", cacheFile),
    localize("Record the test, or accept the nearest entry's answer."),
  );
}

export async function pickMissing(
  missing: readonly MissingCall[],
  question: string,
): Promise<MissingCall | undefined> {
  const items = missing.map((call) => ({
    icon: "warning",
    label: call.miss.label,
    description: call.miss.model ?? call.miss.operation,
    detail: call.test ? `${call.test.file}  ${call.test.name.join(" › ")}` : "",
    call,
  }));
  return (await pickOne(items, { placeholder: question }))?.call;
}

export interface ViewDeps {
  readonly session: Session;
  readonly memento: vscode.Memento;
  readonly index: RecordingIndex;
  readonly model: CallsModel;
  readonly view: CallsView;
  readonly documents: Documents;
  readonly undo: UndoStack;
  readonly caches: Caches;
}
