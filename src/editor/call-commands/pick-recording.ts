import * as vscode from "vscode";
import { testTitle } from "../../core/call/names.ts";
import { rowText } from "../../core/view/row.ts";
import type { Rows } from "../calls-tree/call-rows-model.ts";
import type { CallsModel } from "../calls-tree/calls-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import { oneAtATime, throttle } from "../window/throttle.ts";
import { filterFromText } from "../calls/call-filter-model.ts";
import { matchExcerpt } from "./match-excerpt-model.ts";
import { createFindRecordings } from "./found-recordings-model.ts";
import { createLiveSearch, farText } from "./live-search-model.ts";
import type { PickItem } from "../window/messages-model.ts";
import { createLivePick } from "../window/picks.ts";
import type { RecordingRow } from "../calls/call-node-model.ts";

interface PickParts {
  readonly model: CallsModel;
  readonly index: RecordingIndex;
}

export interface PickRecordingOptions {
  readonly placeholder: string;
  readonly title?: string;
  /** Not offered. */
  readonly except?: string;
}

interface RecordingItem extends PickItem {
  readonly entry: string;
}

const SHOWN = 200;
const UPDATE_MS = 250;

/** Asks for a recording by any of its words, while they are still being read; undefined where the person gave up. */
export async function pickRecording(
  parts: PickParts,
  options: PickRecordingOptions,
): Promise<string | undefined> {
  const { index } = parts;
  const title = options.title ?? "Recordings";
  const { pick, fill } = createLivePick<RecordingItem>({ ...options, title });
  const search = createLiveSearch<RecordingItem>({
    find: createFindItems(parts.model, options.except),
    isOver: () => !index.progress.reading && index.searches === 0,
  });
  const chosen = new Promise<string | undefined>((resolve) => {
    const accept = (): void => {
      const hit = search.accepted(pick.value, pick.activeItems[0]?.of);
      if (hit === undefined) return;
      resolve(hit.entry);
      pick.hide();
    };
    let drawn: readonly RecordingItem[] | undefined;
    const update = oneAtATime(async () => {
      const standing = await search.refresh(pick.value, () => pick.activeItems[0]?.of);
      // What is drawn anew loses its place, and takes its time.
      if (search.hits !== drawn) fill(search.hits, standing);
      drawn = search.hits;
      const far = farText(index.progress, index.searches);
      pick.busy = far !== undefined;
      pick.title = far === undefined ? title : `${title}: ${far}`;
      if (search.isWanted) accept();
    });
    const later = throttle(update, () => UPDATE_MS);
    const listening = vscode.Disposable.from(
      index.onDidChange(later),
      pick.onDidChangeValue(() => {
        search.forgetWish();
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
  return chosen;
}

/** The same list for the same recordings: nothing is drawn anew for nothing. */
function createFindItems({ rows }: Pick<CallsModel, "rows">, except: string | undefined) {
  const find = createFindRecordings(rows, SHOWN + 1);
  let shown: { readonly of: readonly RecordingRow[]; readonly items: readonly RecordingItem[] } | undefined;
  return async (text: string): Promise<readonly RecordingItem[]> => {
    const found = await find(text);
    if (shown?.of === found) return shown.items;
    const now = Date.now();
    const offered = found.filter((row) => row.address.entry !== except).slice(0, SHOWN);
    const { words } = filterFromText(text);
    shown = { of: found, items: offered.map((row) => itemOf(row, rows, { now, words })) };
    return shown.items;
  };
}

/** `alwaysShow`: the search covers the whole call, so the item shows the words that it found elsewhere in the call. */
function itemOf(
  row: RecordingRow,
  rows: Rows,
  { now, words }: { readonly now: number; readonly words: readonly string[] },
): RecordingItem {
  const facts = rows.facts(row);
  const { entry } = row.address;
  if (facts?.kind !== "read")
    return { entry, icon: "error", label: entry, description: facts?.reason ?? "", alwaysShow: true };
  const state = rows.state(row);
  const { label, description } = rowText(
    {
      label: facts.label,
      state,
      model: facts.model ?? facts.operation,
      usage: facts.usage,
      at: facts.recordedAt,
    },
    { now },
  );
  const tests = rows.tests(row).map((test) => `${test.file}  ${testTitle(test)}`);
  const shown = [label, description, ...tests].join("\n").toLowerCase();
  const excerpt = matchExcerpt(words, { shown, text: facts.text.kept });
  const details = [...(excerpt === undefined ? [] : [excerpt]), ...tests];
  const icon = state === "new" ? "circle-filled" : state === "stale" ? "history" : "circle-outline";
  return { entry, icon, label, description, detail: details.join("  ·  "), alwaysShow: true };
}
