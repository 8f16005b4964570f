import type { CallsPart, OverviewRequest } from "../../core/overview/overview-data.ts";
import { button, element, shape } from "../dom.ts";

export type Ask = (request: OverviewRequest) => void;
type Child = Node | string | undefined;

/** A text that leads somewhere. `spoken`: what it leads to, where the text alone does not say it. */
export function link(text: string, spoken: string, go: () => void): HTMLButtonElement {
  return button(text, { class: "link", title: spoken }, go);
}

/** A number or name that leads to calls in the Calls view. */
export function callsLink(text: string, part: CallsPart, ask: Ask): HTMLButtonElement {
  return link(text, "Show these in the Calls view", () => ask({ type: "calls", part }));
}

export interface Fact {
  readonly name: string;
  readonly value: Child;
  readonly basis?: Child;
}

export function factList(facts: readonly Fact[]): HTMLElement {
  const groups = facts.map(({ name, value, basis }) =>
    element(
      "div",
      { class: "fact" },
      element("dt", {}, name),
      element("dd", { class: "value" }, value),
      basis === undefined ? undefined : element("dd", { class: "basis muted" }, basis),
    ),
  );
  return element("dl", { class: "facts" }, ...groups);
}

export function section(title: string, ...children: readonly Child[]): HTMLElement {
  const id = `part-${title.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return element("section", { "aria-labelledby": id }, element("h2", { id }, title), ...children);
}

/** A column of a table. Numbers stand on the right. `needs`: shown only where there is some room, or much. */
export interface Column<T> {
  readonly name: string;
  readonly cell: (row: T) => Child;
  readonly isNumber?: boolean;
  readonly needs?: "some" | "much" | undefined;
}

export function numbers<T>(name: string, cell: Column<T>["cell"], needs?: Column<T>["needs"]): Column<T> {
  return { name, cell, isNumber: true, needs };
}

/** The first column names the row. */
export function table<T>(
  caption: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
): HTMLTableElement {
  const classOf = ({ isNumber, needs }: Column<T>): string | undefined =>
    [isNumber === true ? "number" : "", needs === undefined ? "" : `needs-${needs}`].join(" ").trim() ||
    undefined;
  const names = columns.map((column) => element("th", { scope: "col", class: classOf(column) }, column.name));
  const cellsOf = (row: T): readonly HTMLElement[] =>
    columns.map((column, index) =>
      index === 0
        ? element("th", { scope: "row" }, column.cell(row))
        : element("td", { class: classOf(column) }, column.cell(row)),
    );
  return element(
    "table",
    {},
    element("caption", { class: "spoken" }, caption),
    element("thead", {}, element("tr", {}, ...names)),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cellsOf(row)))),
  );
}

/** A number beside a bar of its share in the largest; the bar says nothing that the number does not. */
export function numberWithBar(text: string, share: number): HTMLElement {
  const width = Math.max(0, Math.min(1, share)) * 100;
  return element(
    "span",
    { class: "measured" },
    element("span", {}, text),
    shape(
      "svg",
      { class: "share", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
      shape("rect", { class: "is-share", width, height: 6 }),
    ),
  );
}
