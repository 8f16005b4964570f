import { element } from "./dom.ts";

/** Rows of one height of which only those near the window are there; a table's body with room above and below. */
export interface VirtualRows {
  /** Draws so many rows anew. */
  draw(count: number): void;
  /** Scrolls a row into the window, draws it, and gives it the focus where asked for. */
  show(index: number, focus: boolean): void;
}

interface RowsOptions {
  /** What scrolls, and can have the focus. */
  readonly window: HTMLElement;
  readonly body: HTMLTableSectionElement;
  /** What stands above the rows within the window, in pixels. */
  readonly above: () => number;
  /** In pixels. */
  readonly rowHeight: number;
  readonly columns: () => number;
  readonly row: (index: number) => HTMLTableRowElement;
}

/** Rows from `from` up to, and without, `to`. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Rows beyond the window that are there already. */
const MARGIN = 12;

export function createVirtualRows(options: RowsOptions): VirtualRows {
  const { window, body, above, rowHeight } = options;
  const [before, after] = [createRoom(), createRoom()];
  let count = 0;
  let drawn: Range = { from: 0, to: 0 };

  const wantedRange = (): Range => {
    const from = Math.max(0, Math.floor(window.scrollTop / rowHeight) - MARGIN);
    return { from, to: Math.min(count, from + Math.ceil(window.clientHeight / rowHeight) + 2 * MARGIN) };
  };
  const rows = (from: number, to: number): readonly HTMLTableRowElement[] =>
    Array.from({ length: Math.max(0, to - from) }, (_, index) => options.row(from + index));
  const setRooms = (): void => {
    before.set(drawn.from * rowHeight, options.columns());
    after.set((count - drawn.to) * rowHeight, options.columns());
  };
  const draw = (): void => {
    const focused = focusedIndex(body);
    drawn = wantedRange();
    body.replaceChildren(before.node, ...rows(drawn.from, drawn.to), after.node);
    setRooms();
    if (focused !== undefined) focusRow(body, focused);
  };
  /** Rows that are there already are left as they are. */
  const follow = (): void => {
    const next = wantedRange();
    if (next.from === drawn.from && next.to === drawn.to) return;
    if (next.from >= drawn.to || next.to <= drawn.from) return draw();
    removeBeyond(next, options);
    before.node.after(...rows(next.from, drawn.from));
    after.node.before(...rows(drawn.to, next.to));
    drawn = next;
    setRooms();
  };
  window.addEventListener("scroll", follow);
  return {
    draw(rowCount) {
      count = rowCount;
      draw();
    },
    show(index, takesFocus) {
      const top = index * rowHeight;
      const seen = window.clientHeight - above();
      if (top < window.scrollTop) window.scrollTop = top;
      else if (top + rowHeight > window.scrollTop + seen) window.scrollTop = top + rowHeight - seen;
      follow();
      if (takesFocus) focusRow(body, index);
    },
  };
}

/** What has the focus keeps it within the table: else keys would go nowhere. */
function removeBeyond({ from, to }: Range, { window, body }: RowsOptions): void {
  const focused = focusedIndex(body);
  for (const row of Array.from(body.rows)) {
    const index = indexOf(row);
    if (index === undefined || (index >= from && index < to)) continue;
    row.remove();
    if (index === focused) window.focus({ preventScroll: true });
  }
}

function focusRow(body: HTMLElement, index: number): void {
  body.querySelector<HTMLElement>(`[data-index="${index}"] button`)?.focus({ preventScroll: true });
}

function focusedIndex(body: HTMLElement): number | undefined {
  const focused = document.activeElement?.closest<HTMLElement>("[data-index]");
  return focused && body.contains(focused) ? indexOf(focused) : undefined;
}

function indexOf({ dataset }: HTMLElement): number | undefined {
  return dataset["index"] === undefined ? undefined : Number(dataset["index"]);
}

/** The place of rows that are not there. */
function createRoom() {
  const cell = element("td");
  const node = element("tr", { class: "room", "aria-hidden": "true" }, cell);
  return {
    node,
    set(height: number, columns: number): void {
      node.hidden = height <= 0;
      cell.colSpan = columns;
      cell.style.height = `${height}px`;
    },
  };
}
