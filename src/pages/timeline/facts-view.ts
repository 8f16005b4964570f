import type { TimelineRequest } from "../../core/run-record/timeline-data.ts";
import { button, element } from "../dom.ts";
import { factsOf } from "./facts-model.ts";
import { signOf } from "./bars.ts";
import type { CallRow } from "./rows-model.ts";

/** Absent where there is nobody to ask. */
type Ask = ((request: TimelineRequest) => void) | undefined;

function factList(row: CallRow): HTMLElement {
  const facts = factsOf(row).map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  return element("dl", {}, ...facts);
}

/** Below the table: the call that was chosen, with what can be done with it. */
export function chosenCall(row: CallRow, ask: Ask, close: () => void): HTMLElement {
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

function testButton({ call: { test } }: CallRow, ask: Ask): readonly HTMLElement[] {
  if (ask === undefined || test === undefined) return [];
  return [button("Go to test", {}, () => ask({ type: "goToTest", test }))];
}

/** Beside the pointer; for who sees none, the same stands below the table. */
export interface Tip {
  readonly node: HTMLElement;
  show(row: CallRow, x: number, y: number): void;
  hide(): void;
}

export function createTip(): Tip {
  const node = element("div", { class: "tip", "aria-hidden": "true", hidden: true });
  let shown: CallRow | undefined;
  return {
    node,
    show(row, x, y) {
      if (row !== shown) node.replaceChildren(element("h2", {}, row.call.label), factList(row));
      shown = row;
      node.hidden = false;
      const { width, height } = node.getBoundingClientRect();
      const { innerWidth, innerHeight } = window;
      // Below the pointer, or above it where there is no room.
      const top = y + 16 + height < innerHeight ? y + 16 : Math.max(0, y - height - 8);
      node.style.left = `${Math.max(0, Math.min(x + 12, innerWidth - width - 8))}px`;
      node.style.top = `${top}px`;
    },
    hide() {
      shown = undefined;
      node.hidden = true;
    },
  };
}
