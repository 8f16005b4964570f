import { formatDollars } from "../core/call/spending.ts";
import { joinList, localize } from "../core/base/localize.ts";
import { localizeCount } from "../core/base/plural.ts";
import { describeOutcome } from "../core/view/run-record/run-record.ts";
import type { TimelineRequest } from "../core/view/run-record/timeline-data.ts";
import { createBar, createSign, type Scale } from "./bars.ts";
import { makeButton, makeElement } from "./dom.ts";
import { formatDuration, listFacts, formatTokens } from "./facts-model.ts";
import type { Row, TestRow, TimelineCallRow } from "./rows-model.ts";

/** Returns the columns left of the chart: class names and heads. */
export const listColumns = () =>
  [
    ["first", localize("Call")],
    ["wide model", localize("Model")],
    ["wide time", localize("Time")],
    ["wide tokens", localize("Tokens")],
    ["wide cost", localize("Cost")],
  ] as const;

export interface TableRowState {
  readonly index: number;
  /** The row that keys start from. */
  readonly isActive: boolean;
  readonly isChosen: boolean;
  readonly scale: Scale;
  /** Number of columns that are shown. */
  readonly columns: number;
}

/** A row of the table: words in its cells, and the bar in the last one. */
export function createRow(row: Row, state: TableRowState): HTMLTableRowElement {
  const made = row.kind === "test" ? testRow(row, state) : callRow(row, state);
  made.dataset["index"] = String(state.index);
  return made;
}

function testRow({ title, file, calls }: TestRow, { isActive, columns }: TableRowState): HTMLTableRowElement {
  const label = makeElement(
    "button",
    { type: "button", class: "label", tabindex: isActive ? 0 : -1, title },
    makeElement("span", { class: "title" }, title),
    makeElement(
      "span",
      { class: "muted" },
      [file, localizeCount(calls, "{0} call", "{0} calls")].filter(Boolean).join(" · "),
    ),
  );
  const cell = makeElement("th", { scope: "rowgroup", colspan: columns }, label);
  return makeElement("tr", { class: "test" }, cell);
}

function callRow(row: TimelineCallRow, { isActive, isChosen, scale }: TableRowState): HTMLTableRowElement {
  const { call, span } = row;
  const result = resultText(row);
  const label = makeElement(
    "button",
    { type: "button", class: "label", tabindex: isActive ? 0 : -1, "aria-pressed": isChosen },
    makeElement("span", { class: "number" }, String(row.number)),
    createSign(call.outcome),
    makeElement("span", { class: "spoken" }, localize("{0}: {1}", describeOutcome(call.outcome), "")),
    makeElement("span", { class: "title" }, call.label),
    result === "" ? undefined : makeElement("span", { class: "muted" }, result),
  );
  const { cached: _, ...tokens } = call.tokens ?? {};
  return makeElement(
    "tr",
    { class: isChosen ? "call chosen" : "call" },
    makeElement("td", {}, label),
    makeElement("td", { class: "wide" }, call.model ?? call.operation),
    makeElement("td", { class: "wide" }, span.isKnown ? formatDuration(span.end - span.start) : "–"),
    makeElement("td", { class: "wide" }, formatTokens(tokens)),
    makeElement("td", { class: "wide" }, call.costUsd === undefined ? "" : formatDollars(call.costUsd)),
    makeElement("td", { class: "chart", title: factsText(row) }, createBar(row, scale)),
  );
}

/** The numbers of the calls that a call continues, and its reply: "continues 1 → 12 + 30 = 42". */
const resultText = ({ continues, call: { answered } }: TimelineCallRow): string => {
  const numbers = joinList(continues.map(({ number }) => String(number)));
  const continued = numbers === "" ? "" : localize("continues {0}", numbers);
  return [continued, answered === undefined ? "" : `→ ${answered}`].filter(Boolean).join(" ");
};

/** The tooltip of a bar. The same facts are below the table when the call is chosen. */
const factsText = (row: TimelineCallRow): string =>
  [row.call.label, ...listFacts(row).map(([name, value]) => localize("{0}: {1}", name, value))].join("\n");

/** The chosen call, below the table. `ask` is absent in a report. */
export function createCallFacts(
  row: TimelineCallRow,
  ask: ((request: TimelineRequest) => void) | undefined,
  close: () => void,
): HTMLElement {
  const { label, outcome, test } = row.call;
  const facts = listFacts(row).map(([name, value]) =>
    makeElement("div", {}, makeElement("dt", {}, name), makeElement("dd", {}, value)),
  );
  return makeElement(
    "div",
    {},
    makeElement(
      "div",
      { class: "heading" },
      createSign(outcome),
      makeElement("h2", {}, label),
      ask && test && makeButton(localize("Go to test"), {}, () => ask({ type: "goToTest", test })),
      makeButton(
        "✕",
        { "aria-label": localize("Hide the details"), title: localize("Hide the details") },
        close,
      ),
    ),
    makeElement("dl", {}, ...facts),
  );
}
