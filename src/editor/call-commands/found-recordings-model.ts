import { shortenKey } from "../../core/cassette/address.ts";
import { formatTestTitle } from "../../core/call/test-names.ts";
import { formatRow } from "../../core/view/row.ts";
import type { Rows } from "../calls-tree/call-rows-model.ts";
import { parseFilter } from "../calls/call-filter-model.ts";
import type { ReadFacts } from "../calls/call-facts-model.ts";
import type { RecordingRow } from "../calls/call-node-model.ts";
import type { PickItem } from "../window/messages-model.ts";

export interface RecordingItem extends PickItem {
  readonly entry: string;
}

interface FindOptions {
  /** Maximum number of items. */
  readonly most: number;
  /** An entry that is not offered. */
  readonly except?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Finds the recordings read so far that pass a filter: those whose label contains the text first, then the newest. */
export async function findRecordings(
  text: string,
  rows: Rows,
  { most, except, now }: FindOptions,
): Promise<readonly RecordingItem[]> {
  const filter = parseFilter(text);
  const { fresh, failed, kept } = await rows.recordings(filter);
  const typed = text.trim().toLowerCase();
  return [...fresh, ...failed, ...kept]
    .flatMap((row) => {
      const facts = rows.facts(row);
      if (facts === undefined || row.address.entry === except) return [];
      const isRead = facts.kind === "read";
      const hasLabel = isRead && facts.label.toLowerCase().includes(typed);
      return [{ row, facts, hasLabel, recordedAt: isRead ? facts.recordedAt : 0 }];
    })
    .sort((a, b) => Number(b.hasLabel) - Number(a.hasLabel) || b.recordedAt - a.recordedAt)
    .slice(0, most)
    .map(({ row, facts }) =>
      facts.kind === "read"
        ? itemOf(row, facts, rows, { now, words: filter.words })
        : {
            entry: row.address.entry,
            icon: "error",
            label: `${shortenKey(row.address.key)}.json`,
            description: facts.reason,
            alwaysShow: true,
          },
    );
}

/** `alwaysShow`: the search covers the whole call, so the item shows the words that were found elsewhere in the call. */
function itemOf(
  row: RecordingRow,
  { label: title, model, operation, usage, recordedAt, text }: ReadFacts,
  rows: Rows,
  { now, words }: { readonly now: number; readonly words: readonly string[] },
): RecordingItem {
  const { entry } = row.address;
  const state = rows.state(row);
  const { label, description } = formatRow(
    { label: title, state, model: model ?? operation, usage, at: recordedAt },
    { now },
  );
  const tests = rows.tests(row).map((test) => `${test.file}  ${formatTestTitle(test)}`);
  const shown = [label, description, ...tests].join("\n").toLowerCase();
  const excerpt = matchExcerpt(words, { shown, text: text.kept });
  const detail = [...(excerpt === undefined ? [] : [excerpt]), ...tests].join("  ·  ");
  const icon = state === "new" ? "circle-filled" : state === "stale" ? "history" : "circle-outline";
  return { entry, icon, label, description, detail, alwaysShow: true };
}

/** Characters shown before and after the word that was found. */
const BEFORE = 30;
const AFTER = 60;

/**
 * Returns the part of a recording's text with the first of `words` that `shown`, the rest of the row, does not contain.
 * Undefined if there is none. All texts are lower-case.
 */
function matchExcerpt(
  words: readonly string[],
  { shown, text }: { readonly shown: string; readonly text: string },
): string | undefined {
  const word = words.find((one) => !shown.includes(one) && text.includes(one));
  if (word === undefined) return undefined;
  const at = text.indexOf(word);
  const [from, to] = [Math.max(0, at - BEFORE), at + word.length + AFTER];
  // Cuts between words.
  const before = from === 0 ? text.slice(0, at) : text.slice(from, at).replace(/^\S*\s/u, "");
  const after =
    to >= text.length
      ? text.slice(at + word.length)
      : text.slice(at + word.length, to).replace(/\s\S*$/u, "");
  const excerpt = `${before}${word}${after}`.replace(/\s+/gu, " ").trim();
  return `${from > 0 ? "…" : ""}${excerpt}${to < text.length ? "…" : ""}`;
}
