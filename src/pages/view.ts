import type { TimelineData, TimelineRequest } from "../core/view/run-record/timeline-data.ts";
import { localize } from "../core/base/localize.ts";
import { localizeCount } from "../core/base/plural.ts";
import type { WhichTime } from "../core/view/run-record/run-times.ts";
import { createAxis, getTimeAt, type Scale } from "./bars.ts";
import { makeButton, makeElement } from "./dom.ts";
import { computePan, computeZoom, type TimePart } from "./facts-model.ts";
import { createToolbar, createEmptyText, createHeading } from "./heading.ts";
import {
  composeSearch,
  findSpanOfTest,
  buildTimeline,
  type Timeline,
  type TimelineCallRow,
} from "./rows-model.ts";
import { createCallFacts, listColumns, createRow } from "./table-rows.ts";

/** The user's selections in a timeline. They are restored after the timeline was hidden. */
export interface ViewState {
  search: string;
  time: WhichTime;
  /** The visible part; absent for the whole run. */
  zoom?: TimePart | undefined;
  /** Id of the selected row. */
  chosen?: string | undefined;
}

export interface ViewOptions {
  readonly main: HTMLElement;
  readonly state: ViewState;
  readonly keep: (state: ViewState) => void;
  /** Absent in a report, where selecting a call only shows its facts. */
  readonly ask?: (request: TimelineRequest) => void;
}

/** Number of rows that are drawn first, and that each press of the button below them adds. */
const PAGE = 300;

/** A timeline in a page: a table of calls, each with a bar, and the facts of the selected call. */
export class TimelineView {
  readonly #options: ViewOptions;
  readonly #parts = createParts();
  readonly #toolbar = createToolbar({
    search: (text) => this.#change({ search: text }),
    time: (time) => this.#change({ time, zoom: undefined }),
    zoom: (factor) => this.#zoomBy(factor),
    show: (run) => this.#options.ask?.({ type: "show", run }),
  });
  #data: TimelineData | undefined;
  #timeline: Timeline = { rows: [], until: 0, hidden: 0 };
  #scale: Scale = { from: 0, to: 1, width: 1 };
  #drawn = PAGE;
  /** Index of the row where keyboard navigation starts. */
  #active = 0;
  /** The test for which the timeline was last opened, as JSON. */
  #opened: string | undefined;

  constructor(options: ViewOptions) {
    this.#options = options;
    const { body, window } = this.#parts;
    body.addEventListener("click", ({ target }) => {
      const index = indexAt(target);
      if (index !== undefined) this.#press(index);
    });
    window.addEventListener("keydown", (event) => this.#key(event));
    window.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    new ResizeObserver(() => {
      if (this.#timeline.rows.length > 0) this.#draw();
    }).observe(window);
  }

  show(data: TimelineData): void {
    this.#data = data;
    const { main, state } = this.#options;
    const { run, test } = data;
    if (run === undefined) return main.replaceChildren(createEmptyText());
    const { status, window, facts } = this.#parts;
    const heading = createHeading(run, data.isLive);
    // Keeps the toolbar and the table in the document, because the user may be typing in the search field.
    if (window.isConnected) main.querySelector("header")?.replaceWith(heading);
    else main.replaceChildren(heading, this.#toolbar.node, status, window, facts);
    const opened = test && JSON.stringify(test);
    const isNew = opened !== undefined && opened !== this.#opened && state.search === "";
    this.#opened = opened;
    if (isNew && test) state.search = composeSearch(test);
    this.#lay();
    if (isNew) this.#zoomTo(findSpanOfTest(this.#timeline, 0));
  }

  #change(change: Partial<ViewState>): void {
    Object.assign(this.#options.state, change);
    this.#drawn = PAGE;
    this.#lay();
  }

  /** Rebuilds the rows and draws them. */
  #lay(): void {
    const { run } = this.#data ?? {};
    if (run === undefined) return;
    const { time, search } = this.#options.state;
    this.#timeline = buildTimeline(run.calls, { time, search });
    this.#active = Math.min(this.#active, Math.max(0, this.#timeline.rows.length - 1));
    this.#draw();
  }

  #draw(): void {
    const { state, keep } = this.#options;
    const { chartHead, status } = this.#parts;
    keep(state);
    const width = Math.max(60, chartHead.clientWidth);
    this.#scale = { from: 0, to: this.#until, width, ...state.zoom };
    chartHead.replaceChildren(
      makeElement("span", { class: "spoken" }, localize("Chart")),
      createAxis(this.#scale),
    );
    const { rows, hidden } = this.#timeline;
    const calls = rows.filter(({ kind }) => kind === "call").length;
    status.textContent =
      state.search === ""
        ? ""
        : localize("{0} of {1} calls contain “{2}”.", calls, calls + hidden, state.search);
    const { choices = [], run } = this.#data ?? {};
    this.#toolbar.draw({ ...state, choices, run: run?.id });
    this.#drawRows();
  }

  #drawRows(): void {
    const { rows } = this.#timeline;
    const { state, ask } = this.#options;
    const { facts, body, head, window } = this.#parts;
    const isChosen = (row: Timeline["rows"][number]): row is TimelineCallRow =>
      row.kind === "call" && row.id === state.chosen;
    const chosen = rows.find(isChosen);
    facts.hidden = chosen === undefined;
    facts.replaceChildren(...(chosen ? [createCallFacts(chosen, ask, () => this.#choose(undefined))] : []));
    const columns = [...head.querySelectorAll("th")].filter((cell) => cell.offsetParent !== null).length;
    const [scrolled, hadFocus] = [window.scrollTop, body.contains(document.activeElement)];
    body.replaceChildren(
      ...rows.slice(0, this.#drawn).map((row, index) => {
        const isActive = index === this.#active;
        return createRow(row, { index, isActive, isChosen: isChosen(row), scale: this.#scale, columns });
      }),
      ...(rows.length > this.#drawn ? [this.#moreRow(rows.length - this.#drawn, columns)] : []),
    );
    window.scrollTop = scrolled;
    if (hadFocus) this.#focus(this.#active);
  }

  #moreRow(left: number, columns: number): HTMLElement {
    const more = makeButton(localizeCount(left, "Show {0} more row", "Show more of {0} rows"), {}, () => {
      this.#drawn += PAGE;
      this.#drawRows();
    });
    return makeElement("tr", { class: "more" }, makeElement("td", { colspan: columns }, more));
  }

  #buttonAt(index: number): HTMLElement | null {
    return this.#parts.body.querySelector(`[data-index="${index}"] button`);
  }

  #focus(index: number): void {
    this.#buttonAt(index)?.focus({ preventScroll: true });
  }

  get #until(): number {
    return Math.max(this.#timeline.until, 1);
  }

  #zoomTo(part: TimePart | undefined): void {
    this.#options.state.zoom = part && computeZoom(part, { until: this.#until });
    this.#draw();
  }

  #zoomBy(factor: number | undefined, around?: number): void {
    this.#options.state.zoom =
      factor === undefined ? undefined : computeZoom(this.#scale, { until: this.#until, factor, around });
    this.#draw();
  }

  #choose(id: string | undefined): void {
    const { state, keep } = this.#options;
    state.chosen = id;
    keep(state);
    this.#drawRows();
  }

  /** Makes a row active and scrolls to it. Draws its page of rows first if necessary. */
  #go(index: number, { block, takesFocus }: { block: ScrollLogicalPosition; takesFocus: boolean }): void {
    const next = Math.min(Math.max(0, index), this.#timeline.rows.length - 1);
    const isDrawn = next < this.#drawn;
    if (isDrawn) this.#buttonAt(this.#active)?.setAttribute("tabindex", "-1");
    this.#active = next;
    if (!isDrawn) this.#drawn = (Math.floor(next / PAGE) + 1) * PAGE;
    if (!isDrawn) this.#drawRows();
    const active = this.#buttonAt(next);
    active?.setAttribute("tabindex", "0");
    active?.closest("tr")?.scrollIntoView({ block });
    if (takesFocus) this.#focus(next);
  }

  /** Selects and opens a call. On a test, toggles the zoom. */
  #press(index: number): void {
    const row = this.#timeline.rows[index];
    if (row === undefined) return;
    this.#active = index;
    if (row.kind === "call") {
      this.#choose(row.id);
      const { entry, outcome, key } = row.call;
      if (entry !== undefined) this.#options.ask?.({ type: "open", entry });
      else if (outcome === "miss" && key !== undefined) this.#options.ask?.({ type: "openMissing", key });
    } else {
      const part = computeZoom(findSpanOfTest(this.#timeline, index), { until: this.#until });
      const isShown = JSON.stringify(part) === JSON.stringify(this.#options.state.zoom);
      this.#zoomTo(isShown ? undefined : part);
    }
    this.#go(index, { block: "nearest", takesFocus: true });
  }

  #key(event: KeyboardEvent): void {
    const go = (index: number): void => this.#go(index, { block: "nearest", takesFocus: true });
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => go(this.#active + 1),
      ArrowUp: () => go(this.#active - 1),
      Home: () => go(0),
      End: () => go(this.#timeline.rows.length - 1),
      ArrowRight: () => this.#zoomTo(computePan(this.#scale, 0.2)),
      ArrowLeft: () => this.#zoomTo(computePan(this.#scale, -0.2)),
      "+": () => this.#zoomBy(2),
      "-": () => this.#zoomBy(0.5),
      "0": () => this.#zoomBy(undefined),
      Escape: () => this.#choose(undefined),
    };
    const step = event.ctrlKey || event.metaKey || event.altKey ? undefined : steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    step();
  }

  #wheel(event: WheelEvent): void {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const place = event.clientX - this.#parts.chartHead.getBoundingClientRect().left;
    this.#zoomBy(event.deltaY < 0 ? 1.25 : 0.8, getTimeAt(this.#scale, place));
  }
}

function createParts() {
  /** The header of the chart column, as wide as the bars' area. */
  const chartHead = makeElement("th", { scope: "col", class: "chart" });
  const names = listColumns().map(([className, name]) =>
    makeElement("th", { scope: "col", class: className }, name),
  );
  const head = makeElement("thead", {}, makeElement("tr", {}, ...names, chartHead));
  const body = makeElement("tbody");
  const table = makeElement("table", { "aria-label": localize("Calls of the run") }, head, body);
  return {
    chartHead,
    head,
    body,
    /** Announces the number of calls that match the search. */
    status: makeElement("p", { class: "spoken", role: "status" }),
    /** The scroll container. */
    window: makeElement(
      "div",
      { class: "window", tabindex: 0, role: "region", "aria-label": localize("Calls") },
      table,
    ),
    facts: makeElement("section", { class: "facts", "aria-label": localize("Selected call"), hidden: true }),
  };
}

/** Returns the index of the row that contains an event's target. */
function indexAt(target: EventTarget | null): number | undefined {
  const row = target instanceof Element ? target.closest<HTMLElement>("[data-index]") : null;
  return row === null ? undefined : Number(row.dataset["index"]);
}
