import type { TimelineRequest } from "../../core/view/run-record/timeline-data.ts";
import { button, element } from "../dom.ts";
import { factsOf } from "./facts-model.ts";
import { signOf } from "./bars.ts";
import type { TimelineCallRow } from "./rows-model.ts";

/** Absent where there is nobody to ask. */
type Ask = ((request: TimelineRequest) => void) | undefined;

/** Tooltip of a bar. The same facts are below the table when the call is selected. */
export const factsText = (row: TimelineCallRow): string =>
  [row.call.label, ...factsOf(row).map(([name, value]) => `${name}: ${value}`)].join("\n");

function factList(row: TimelineCallRow): HTMLElement {
  const facts = factsOf(row).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  return element("dl", {}, ...facts);
}

/** Below the table: the call that was chosen, with what can be done with it. */
export function chosenCall(row: TimelineCallRow, ask: Ask, close: () => void): HTMLElement {
  const hide = button("✕", { "aria-label": "Hide the facts", title: "Hide the facts" }, close);
  return element(
    "div",
    {},
    element(
      "div",
      { class: "heading" },
      signOf(row.call.outcome),
      element("h2", {}, row.call.label),
      ...testButton(row, ask),
      hide,
    ),
    factList(row),
  );
}

function testButton({ call: { test } }: TimelineCallRow, ask: Ask): readonly HTMLElement[] {
  if (ask === undefined || test === undefined) return [];
  return [button("Go to test", {}, () => ask({ type: "goToTest", test }))];
}
