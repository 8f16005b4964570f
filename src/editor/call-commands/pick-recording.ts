import * as vscode from "vscode";
import { testTitle } from "../../core/view/names.ts";
import { rowText } from "../../core/view/row.ts";
import { filterFromText } from "../calls-tree/call-filter-model.ts";
import type { Rows } from "../calls-tree/call-rows-model.ts";
import type { CallsModel } from "../calls-tree/calls-model.ts";
import type { RecordingIndex } from "../calls-tree/recording-index-model.ts";
import type { DeepSearch } from "../calls-tree/deep-search-model.ts";
import { oneAtATime, throttle } from "../calls-tree/throttle.ts";
import { createLiveSearch } from "./live-search-model.ts";
import type { PickItem } from "../window/messages-model.ts";
import { createLivePick } from "../window/picks.ts";
import type { RecordingRow } from "../calls-tree/call-node-model.ts";

interface PickParts {
  readonly model: CallsModel;
  readonly index: RecordingIndex;
  readonly deep: DeepSearch;
}

export interface PickOptions {
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
export async function pickRecording(parts: PickParts, options: PickOptions): Promise<string | undefined> {
  const { index, deep } = parts;
  const { pick, fill } = createLivePick<RecordingItem>(options);
  const search = createLiveSearch<RecordingItem>({
    find: (text) => itemsFor(text, parts, options.except),
    isOver: () => !index.progress.reading && deep.pending === 0,
  });
  const chosen = new Promise<string | undefined>((resolve) => {
    const accept = (): void => {
      const hit = search.accepted(pick.value, pick.activeItems[0]?.of);
      if (hit === undefined) return;
      resolve(hit.entry);
      pick.hide();
    };
    const update = oneAtATime(async () => {
      const standing = await search.refresh(pick.value, () => pick.activeItems[0]?.of);
      fill(search.hits, standing);
      pick.busy = !search.isOver();
      if (search.isWanted) accept();
    });
    const later = throttle(update, () => UPDATE_MS);
    const listening = vscode.Disposable.from(
      index.onDidChange(later),
      deep.onDidChange(later),
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

async function itemsFor(
  text: string,
  { model }: PickParts,
  except: string | undefined,
): Promise<RecordingItem[]> {
  const { rows } = model;
  const { fresh, kept } = await rows.recordings(filterFromText(text));
  const read = [...fresh, ...kept].filter(
    (row) => row.address.entry !== except && rows.facts(row) !== undefined,
  );
  const now = Date.now();
  const phrase = text.trim().toLowerCase();
  return read
    .sort(
      (a, b) =>
        Number(says(b, phrase, rows)) - Number(says(a, phrase, rows)) ||
        recordedAt(b, rows) - recordedAt(a, rows),
    )
    .slice(0, SHOWN)
    .map((row) => itemOf(row, rows, now));
}

/** What was typed stands in the line as it was typed. */
function says(row: RecordingRow, phrase: string, rows: Rows): boolean {
  const facts = rows.facts(row);
  return facts?.kind === "read" && facts.label.toLowerCase().includes(phrase);
}

function recordedAt(row: RecordingRow, rows: Rows): number {
  const facts = rows.facts(row);
  return facts?.kind === "read" ? facts.recordedAt : 0;
}

/** `alwaysShow`: what was typed is looked for in the whole call, not in what the item shows. */
function itemOf(row: RecordingRow, rows: Rows, now: number): RecordingItem {
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
  const icon = state === "new" ? "circle-filled" : state === "stale" ? "history" : "circle-outline";
  return { entry, icon, label, description, detail: tests.join(", "), alwaysShow: true };
}
