import { element } from "../dom.ts";
import { COLUMNS } from "./table-rows.ts";

/** In pixels; `table.css` has the same. */
export const ROW = 26;

export interface Parts {
  /** The head of the picture's column: as wide as the pictures. */
  readonly chartHead: HTMLElement;
  readonly head: HTMLTableSectionElement;
  readonly body: HTMLTableSectionElement;
  readonly table: HTMLTableElement;
  /** How many calls a search leaves; for who hears it. */
  readonly status: HTMLElement;
  /** What scrolls. */
  readonly window: HTMLElement;
  readonly facts: HTMLElement;
}

export function createParts(): Parts {
  const chartHead = element("th", { scope: "col", class: "chart" });
  const [first, ...wide] = COLUMNS;
  const head = element(
    "thead",
    {},
    element(
      "tr",
      { "aria-rowindex": 1 },
      element("th", { scope: "col", class: "first" }, first),
      ...wide.map((name) => element("th", { scope: "col", class: `wide ${name.toLowerCase()}` }, name)),
      chartHead,
    ),
  );
  const body = element("tbody");
  const table = element("table", { "aria-label": "Calls of the run" }, head, body);
  return {
    chartHead,
    head,
    body,
    table,
    status: element("p", { class: "spoken", role: "status" }),
    window: element("div", { class: "window", tabindex: 0, role: "region", "aria-label": "Calls" }, table),
    facts: element("section", { class: "facts", "aria-label": "The chosen call", hidden: true }),
  };
}

/** Columns that there is room for. */
export function columnsOf({ head }: Parts): number {
  return [...head.querySelectorAll("th")].filter((cell) => cell.offsetParent !== null).length;
}

export function emptyText(): HTMLElement {
  return element(
    "div",
    { class: "empty" },
    element("h1", {}, "No run is remembered yet"),
    element("p", {}, "Run tests whose calls go through Tapedeck: each run is then shown here, call by call."),
  );
}

/** The place of the row that an event is about. */
export function indexAt(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
  return row === null ? undefined : Number(row.dataset["index"]);
}
