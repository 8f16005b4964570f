import { dollars } from "../core/call/spending.ts";
import { plural } from "../core/base/plural.ts";
import { outcomeText } from "../core/view/run-record/run-record.ts";
import type { TimelineRequest } from "../core/view/run-record/timeline-data.ts";
import { barOf, signOf, type Scale } from "./bars.ts";
import { button, element } from "./dom.ts";
import { durationText, factsOf, tokensText } from "./facts-model.ts";
import type { DepartureRow, Row, TestRow, TimelineCallRow } from "./rows-model.ts";

export const COLUMNS = ["Call", "Model", "Time", "Tokens", "Cost"] as const;

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
export function rowOf(row: Row, state: TableRowState): HTMLTableRowElement {
  const made =
    row.kind === "test"
      ? testRow(row, state)
      : row.kind === "call"
        ? callRow(row, state)
        : departureRow(row, state);
  made.dataset["index"] = String(state.index);
  return made;
}

function testRow(
  { title, file, calls, departsAt }: TestRow,
  { isActive, columns }: TableRowState,
): HTMLTableRowElement {
  const compared = departsAt === 0 ? "the same in both runs" : `departs at call ${departsAt}`;
  const label = element(
    "button",
    { type: "button", class: "label", tabindex: isActive ? 0 : -1, title },
    element("span", { class: "title" }, title),
    element("span", { class: "muted" }, [file, plural(calls, "call")].filter(Boolean).join(" · ")),
    departsAt === undefined ? undefined : element("span", { class: "compared" }, compared),
  );
  const cell = element("th", { scope: "rowgroup", colspan: columns }, label);
  return element("tr", { class: `test${departsAt ? " departs" : ""}` }, cell);
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
  const number = `${row.number}${side === undefined ? "" : side === "second" ? "b" : "a"}`;
  const label = element(
    "button",
    { type: "button", class: "label", tabindex: isActive ? 0 : -1, "aria-pressed": isChosen },
    element("span", { class: "number" }, number),
    signOf(call.outcome),
    element("span", { class: "spoken" }, `${outcomeText(call.outcome)}: `),
    element("span", { class: "title" }, call.label),
    call.answered === undefined ? undefined : element("span", { class: "muted" }, `→ ${call.answered}`),
  );
  const { cached: _, ...tokens } = call.tokens ?? {};
  return element(
    "tr",
    { class: ["call", side ?? "", relation ?? "", isChosen ? "chosen" : ""].filter(Boolean).join(" ") },
    element("td", {}, label),
    element("td", { class: "wide" }, call.model ?? call.operation),
    element("td", { class: "wide" }, span.isKnown ? durationText(span.end - span.start) : "–"),
    element("td", { class: "wide" }, tokensText(tokens)),
    element("td", { class: "wide" }, call.costUsd === undefined ? "" : dollars(call.costUsd)),
    element("td", { class: "chart", title: factsText(row) }, barOf(row, scale)),
  );
}

/** The tooltip of a bar. The same facts are below the table when the call is chosen. */
const factsText = (row: TimelineCallRow): string =>
  [row.call.label, ...factsOf(row).map(([name, value]) => `${name}: ${value}`)].join("\n");

/** The chosen call, below the table. `ask` is absent in a report. */
export function chosenCall(
  row: TimelineCallRow,
  ask: ((request: TimelineRequest) => void) | undefined,
  close: () => void,
): HTMLElement {
  const { label, outcome, test } = row.call;
  const facts = factsOf(row).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  return element(
    "div",
    {},
    element(
      "div",
      { class: "heading" },
      signOf(outcome),
      element("h2", {}, label),
      ask && test && button("Go to test", {}, () => ask({ type: "goToTest", test })),
      button("✕", { "aria-label": "Hide the facts", title: "Hide the facts" }, close),
    ),
    element("dl", {}, ...facts),
  );
}
