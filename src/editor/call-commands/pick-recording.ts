import * as vscode from "vscode";
import { testTitle } from "../../core/view/names.ts";
import { rowText } from "../../core/view/row.ts";
import { filterFromText } from "../calls-tree/call-filter-model.ts";
import type { Rows } from "../calls-tree/call-rows-model.ts";
import type { CallsModel } from "../calls-tree/calls-model.ts";
import type { RecordingIndex } from "../calls-tree/recording-index-model.ts";
import { throttle } from "../calls-tree/throttle.ts";
import type { PickItem } from "../window/messages-model.ts";
import { createLivePick } from "../window/picks.ts";
import type { RecordingRow } from "../calls-tree/call-node-model.ts";

interface PickParts {
  readonly model: CallsModel;
  readonly index: RecordingIndex;
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
  const { index } = parts;
  const { pick, fill } = createLivePick<RecordingItem>(options);
  let latest = 0;
  const update = async (): Promise<void> => {
    const turn = (latest += 1);
    const items = await itemsFor(pick.value, parts, options.except);
    if (turn !== latest) return;
    const active = pick.activeItems[0]?.of.entry;
    fill(
      items,
      items.find((item) => item.entry === active),
    );
    pick.busy = index.progress.reading;
  };
  const later = throttle(
    () => void update().catch(() => undefined),
    () => UPDATE_MS,
  );
  const listening = index.onDidChange(later);
  const changing = pick.onDidChangeValue(() => void update().catch(() => undefined));
  index.readAll();
  pick.show();
  await update();
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.activeItems[0]?.of.entry);
      pick.hide();
    });
    pick.onDidHide(() => {
      resolve(undefined);
      vscode.Disposable.from(listening, changing, later, pick).dispose();
    });
  });
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
  return read
    .sort((a, b) => recordedAt(b, rows) - recordedAt(a, rows))
    .slice(0, SHOWN)
    .map((row) => itemOf(row, rows, now));
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
      ...(facts.usage && { usage: facts.usage }),
      at: facts.recordedAt,
    },
    { now },
  );
  const tests = rows.tests(row).map((test) => `${test.file}  ${testTitle(test)}`);
  const icon = state === "new" ? "circle-filled" : state === "stale" ? "history" : "circle-outline";
  return { entry, icon, label, description, detail: tests.join(", "), alwaysShow: true };
}
