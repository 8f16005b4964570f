import { dollars } from "../../core/call/spending.ts";
import { OUTCOME_WORDS } from "../../core/view/run-record/run-record.ts";
import { element } from "../dom.ts";
import { plural } from "../../core/base/plural.ts";
import { durationText } from "./time-model.ts";
import { barOf, signOf, type Scale } from "./bars.ts";
import { tokensText } from "./facts-model.ts";
import { factsText } from "./facts-view.ts";
import type { TimelineCallRow, DepartureRow, Row, TestRow } from "./rows-model.ts";

export const COLUMNS = ["Call", "Model", "Time", "Tokens", "Cost"] as const;

export interface TableRowState {
  readonly index: number;
  /** The one that keys go from. */
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly scale: Scale;
  /** How many are shown. */
  readonly columns: number;
}

/** A row of the table: words in its cells, and the bar in the last one. */
export function rowOf(row: Row, state: TableRowState): HTMLTableRowElement {
  const made =
    row.kind === "test"
      ? testRow(row, state)
      : row.kind === "call"
        ? callRow(row, state)
        : departureRow(row, state);
  made.dataset["index"] = String(state.index);
  // The table's head is the first row.
  made.setAttribute("aria-rowindex", String(state.index + 2));
  return made;
}

function testRow(
  { title, file, calls, departsAt }: TestRow,
  { isActive, columns }: TableRowState,
): HTMLTableRowElement {
  const compared = departsAt === 0 ? "the same in both runs" : `departs at call ${departsAt}`;
  return element(
    "tr",
    { class: `test${departsAt ? " departs" : ""}` },
    element(
      "th",
      { scope: "rowgroup", colspan: columns },
      element(
        "button",
        { type: "button", class: "label", tabindex: isActive ? 0 : -1, title },
        element("span", { class: "title" }, title),
        element("span", { class: "muted" }, [file, plural(calls, "call")].filter(Boolean).join(" · ")),
        departsAt === undefined ? undefined : element("span", { class: "compared" }, compared),
      ),
    ),
  );
}

function departureRow({ text }: DepartureRow, { isActive, columns }: TableRowState): HTMLTableRowElement {
  const label = element(
    "button",
    { type: "button", class: "label", tabindex: isActive ? 0 : -1, title: text },
    element("span", { class: "compared" }, `≠ ${text}`),
  );
  return element("tr", { class: "departure departs" }, element("td", { colspan: columns }, label));
}

function callRow(row: TimelineCallRow, { isActive, isChosen, scale }: TableRowState): HTMLTableRowElement {
  const { call, span, side, relation } = row;
  const isSecond = side === "second";
  const label = element(
    "button",
    { type: "button", class: "label", tabindex: isActive ? 0 : -1, "aria-pressed": isChosen },
    element(
      "span",
      { class: "number" },
      side === undefined ? String(row.number) : `${row.number}${isSecond ? "b" : "a"}`,
    ),
    signOf(call.outcome),
    element("span", { class: "spoken" }, `${OUTCOME_WORDS[call.outcome]}: `),
    element("span", { class: "title" }, call.label),
    call.answered === undefined ? undefined : element("span", { class: "muted" }, `→ ${call.answered}`),
  );
  const time = durationText(span.end - span.start);
  return element(
    "tr",
    { class: ["call", side ?? "", relation ?? "", isChosen ? "chosen" : ""].filter(Boolean).join(" ") },
    element("td", {}, label),
    element("td", { class: "wide" }, call.model ?? call.operation),
    element("td", { class: "wide number" }, span.isKnown ? time : "–"),
    element("td", { class: "wide number" }, tokensInShort(call)),
    element("td", { class: "wide number" }, call.costUsd === undefined ? "" : dollars(call.costUsd)),
    element("td", { class: "chart", title: factsText(row) }, barOf(row, scale)),
  );
}

/** Without those from the cache, which the facts tell. */
function tokensInShort({ tokens }: TimelineCallRow["call"]): string {
  if (tokens === undefined) return "";
  const { cached: _, ...rest } = tokens;
  return tokensText(rest);
}
