import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { CallTarget } from "../calls/call-node-model.ts";
import type { CallsModel } from "../calls-tree/calls-model.ts";
import { describeReading } from "../calls-tree/tree-text-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { createLivePick } from "../window/picks.ts";
import { runOneAtATime, throttle } from "../window/throttle.ts";
import { type RecordingItem, findRecordings } from "./found-recordings-model.ts";

interface PickRecordingOptions {
  readonly placeholder: string;
  /** An entry that is not offered. */
  readonly except?: string | undefined;
}

const TITLE = localize("Recordings");
const SHOWN = 200;
const UPDATE_MS = 250;

/** Asks for a recording by any of its words while recordings are still being read; undefined if the person gave up. */
export function pickRecording(
  { model, index }: { readonly model: CallsModel; readonly index: RecordingIndex },
  { placeholder, except }: PickRecordingOptions,
): Promise<Extract<CallTarget, { entry: string }> | undefined> {
  const { pick, fill } = createLivePick<RecordingItem>({ placeholder, title: TITLE });
  let shown: { readonly text: string; readonly items: readonly RecordingItem[] } = { text: "", items: [] };
  /** Enter was pressed before anything was found. */
  let isWanted = false;
  return new Promise((resolve) => {
    const accept = (): void => {
      const items = shown.text === pick.value ? shown.items : [];
      const active = pick.activeItems[0]?.of.entry;
      const chosen = items.find(({ entry }) => entry === active) ?? items[0];
      isWanted = chosen === undefined && (shown.text !== pick.value || progressOf(index) !== undefined);
      if (chosen === undefined) return;
      resolve({ entry: chosen.entry });
      pick.hide();
    };
    const update = runOneAtATime(async () => {
      const text = pick.value;
      const items = await findRecordings(text, model.rows, { most: SHOWN, except, now: Date.now() });
      const active = pick.activeItems[0]?.of.entry;
      const hasMoved = shown.text === text && active !== undefined && active !== shown.items[0]?.entry;
      // Filling the list again loses the position in it.
      if (JSON.stringify(items) !== JSON.stringify(shown.items))
        fill(items, hasMoved ? items.find(({ entry }) => entry === active) : undefined);
      shown = { text, items };
      const progress = progressOf(index);
      pick.busy = progress !== undefined;
      pick.title = progress ?? TITLE;
      if (isWanted) accept();
    });
    const later = throttle(update, () => UPDATE_MS);
    const listening = vscode.Disposable.from(
      index.onDidChange(later),
      pick.onDidChangeValue(() => {
        isWanted = false;
        update();
      }),
      pick.onDidAccept(accept),
    );
    pick.onDidHide(() => {
      resolve(undefined);
      vscode.Disposable.from(listening, later, pick).dispose();
    });
    index.readAll();
    pick.show();
    update();
  });
}

/** The progress of reading, for the title; undefined when everything is read. */
function progressOf({ progress, searches }: RecordingIndex): string | undefined {
  if (progress.reading && progress.total === 0) return localize("Looking for recordings…");
  return describeReading(progress, searches);
}
