import type { TimelineData, TimelineRequest } from "../../core/view/run-record/timeline-data.ts";
import type { WhichTime } from "../../core/view/run-record/run-times.ts";
import { element } from "../dom.ts";
import { createVirtualRows } from "../virtual-rows.ts";
import { axisOf, timeAt, type Scale } from "./bars.ts";
import { chosenCall } from "./facts-view.ts";
import { headingOf } from "./heading.ts";
import { columnsOf, createParts, emptyText, indexAt, ROW } from "./parts.ts";
import { searchFor, spanOfTest, timelineOf, type TimelineCallRow, type Timeline } from "./rows-model.ts";
import { rowOf } from "./table-rows.ts";
import { createToolbar } from "./toolbar.ts";
import { panBy, zoomTo, type TimePart } from "./time-model.ts";

/** What a person chose in a timeline; kept over hiding. */
export interface ViewState {
  search: string;
  time: WhichTime;
  /** The shown part; absent for the whole. */
  zoom?: TimePart | undefined;
  /** A row's id. */
  chosen?: string | undefined;
}

export interface ViewOptions {
  readonly main: HTMLElement;
  readonly state: ViewState;
  readonly keep: (state: ViewState) => void;
  /** Absent where there is nobody to ask: then a call is shown with its facts alone. */
  readonly ask?: (request: TimelineRequest) => void;
}

/** So many rows below a test that departs are shown with it. */
const BELOW = 8;

/** A timeline in a page: a table of calls, each with its bar, and what is known of the chosen one. */
export class TimelineView {
  readonly #options: ViewOptions;
  readonly #parts = createParts();
  readonly #toolbar = createToolbar({
    search: (text) => this.#change({ search: text }),
    time: (time) => this.#change({ time, zoom: undefined }),
    zoom: (factor) => this.#zoomBy(factor),
    show: (run) => this.#options.ask?.({ type: "show", run }),
    compare: (run) => this.#options.ask?.({ type: "compare", run }),
    nextDeparture: () => this.#goToDeparture(this.#active),
  });
  readonly #rows = createVirtualRows({
    window: this.#parts.window,
    body: this.#parts.body,
    above: () => this.#parts.head.clientHeight,
    rowHeight: ROW,
    columns: () => this.#columns,
    row: (index) => this.#row(index),
  });
  #data: TimelineData | undefined;
  #timeline: Timeline = { rows: [], until: 0, hidden: 0 };
  #scale: Scale = { from: 0, to: 1, width: 1 };
  #columns = 1;
  /** The row that keys go from. */
  #active = 0;
  /** What the timeline was opened for last. */
  #opened: string | undefined;
  /** The run beside it. */
  #second: string | undefined;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#listen();
  }

  show(data: TimelineData): void {
    this.#data = data;
    const { main, state } = this.#options;
    const { run, test } = data;
    if (run === undefined) return main.replaceChildren(emptyText());
    const { status, window, facts } = this.#parts;
    const scrolled = window.scrollTop;
    const focused = document.activeElement;
    const content = [this.#toolbar.node, status, window, facts];
    const heading = headingOf(run, data.isLive, data.second);
    // What is there stays where it is: a person may be typing in it.
    if (window.isConnected) main.querySelector("header")?.replaceWith(heading);
    else main.replaceChildren(heading, ...content);
    const opened = test && JSON.stringify(test);
    const isNew = opened !== undefined && opened !== this.#opened && state.search === "";
    this.#opened = opened;
    if (isNew && test) state.search = searchFor(test);
    this.#lay();
    if (isNew) this.#zoomTo(spanOfTest(this.#timeline, 0));
    window.scrollTop = scrolled;
    if (data.second !== undefined && data.second.id !== this.#second) this.#goToDeparture(-1, false);
    this.#second = data.second?.id;
    if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  }

  #change(change: Partial<ViewState>): void {
    Object.assign(this.#options.state, change);
    this.#lay();
  }

  /** The rows anew, then the picture. */
  #lay(): void {
    const { run, second, departures } = this.#data ?? {};
    if (run === undefined) return;
    const { time, search } = this.#options.state;
    const options = { time, search, ...(departures && { departures }) };
    this.#timeline = timelineOf(run.calls, second?.calls, options);
    this.#active = Math.min(this.#active, Math.max(0, this.#timeline.rows.length - 1));
    this.#draw();
  }

  #draw(): void {
    const { state, keep } = this.#options;
    const { chartHead, table, status } = this.#parts;
    keep(state);
    this.#columns = columnsOf(this.#parts);
    this.#scale = this.#scaleNow();
    chartHead.replaceChildren(element("span", { class: "spoken" }, "Picture"), axisOf(this.#scale));
    const { rows, hidden } = this.#timeline;
    const calls = rows.filter(({ kind }) => kind === "call");
    table.setAttribute("aria-rowcount", String(rows.length + 1));
    const counted = `${calls.length} of ${calls.length + hidden} calls have “${state.search}”.`;
    status.textContent = state.search === "" ? "" : counted;
    const { choices = [], run, second } = this.#data ?? {};
    this.#toolbar.draw({ ...state, choices, run: run?.id, second: second?.id });
    this.#drawRows();
  }

  #drawRows(): void {
    const { rows } = this.#timeline;
    const { state, ask } = this.#options;
    const { facts } = this.#parts;
    const chosen = rows.find((row): row is TimelineCallRow => row.kind === "call" && row.id === state.chosen);
    facts.hidden = chosen === undefined;
    facts.replaceChildren(...(chosen ? [chosenCall(chosen, ask, () => this.#choose(undefined))] : []));
    this.#rows.draw(rows.length);
  }

  #row(index: number): HTMLTableRowElement {
    const row = this.#timeline.rows[index];
    if (row === undefined) return element("tr");
    const isChosen = row.kind === "call" && row.id === this.#options.state.chosen;
    const isActive = index === this.#active;
    return rowOf(row, { index, isActive, isChosen, scale: this.#scale, columns: this.#columns });
  }

  get #until(): number {
    return Math.max(this.#timeline.until, 1);
  }

  #scaleNow(): Scale {
    const width = Math.max(60, this.#parts.chartHead.clientWidth);
    return { from: 0, to: this.#until, width, ...this.#options.state.zoom };
  }

  #zoomTo(part: TimePart | undefined): void {
    this.#options.state.zoom = part && zoomTo(part, { until: this.#until });
    this.#draw();
  }

  #zoomBy(factor: number | undefined, around?: number): void {
    this.#options.state.zoom =
      factor === undefined ? undefined : zoomTo(this.#scale, { until: this.#until, factor, around });
    this.#draw();
  }

  #choose(id: string | undefined): void {
    const { state, keep } = this.#options;
    state.chosen = id;
    keep(state);
    this.#drawRows();
  }

  #go(index: number): void {
    this.#active = Math.min(Math.max(0, index), this.#timeline.rows.length - 1);
    this.#rows.draw(this.#timeline.rows.length);
    this.#rows.show(this.#active, true);
  }

  /** To the next test after a row that departs, or to the first one; with what stands below it. */
  #goToDeparture(after: number, takesFocus = true): void {
    const { rows } = this.#timeline;
    const places = rows.flatMap((row, index) => (row.kind === "test" && row.departsAt ? [index] : []));
    const next = places.find((index) => index > after) ?? places[0];
    if (next === undefined) return;
    this.#active = next;
    this.#rows.draw(rows.length);
    this.#rows.show(Math.min(next + BELOW, rows.length - 1), false);
    this.#rows.show(next, takesFocus);
  }

  /** A call is chosen and opened; a test is zoomed in on, and out again; a line leads to the call below it. */
  #press(index: number): void {
    const { rows } = this.#timeline;
    const row = rows[index];
    if (row === undefined) return;
    if (row.kind === "departure") return this.#press(index + 1);
    this.#active = index;
    if (row.kind === "call") {
      this.#choose(row.id);
      const { entry, outcome, key } = row.call;
      if (entry !== undefined) this.#options.ask?.({ type: "open", entry });
      else if (outcome === "miss" && key !== undefined) this.#options.ask?.({ type: "openMissing", key });
    } else {
      const part = zoomTo(spanOfTest(this.#timeline, index), { until: this.#until });
      const isShown = JSON.stringify(part) === JSON.stringify(this.#options.state.zoom);
      this.#zoomTo(isShown ? undefined : part);
    }
    this.#rows.show(index, true);
  }

  #listen(): void {
    const { body, window } = this.#parts;
    body.addEventListener("click", ({ target }) => this.#press(indexAt(target) ?? -1));
    window.addEventListener("keydown", (event) => this.#key(event));
    window.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    new ResizeObserver(() => {
      if (this.#timeline.rows.length > 0) this.#draw();
    }).observe(window);
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(this.#parts.window.clientHeight / ROW) - 2);
    const active = this.#active;
    const steps: Readonly<Record<string, () => void>> = {
      ArrowDown: () => this.#go(active + 1),
      ArrowUp: () => this.#go(active - 1),
      PageDown: () => this.#go(active + page),
      PageUp: () => this.#go(active - page),
      Home: () => this.#go(0),
      End: () => this.#go(this.#timeline.rows.length - 1),
      ArrowRight: () => this.#zoomTo(panBy(this.#scale, 0.2)),
      ArrowLeft: () => this.#zoomTo(panBy(this.#scale, -0.2)),
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
    this.#zoomBy(event.deltaY < 0 ? 1.25 : 0.8, timeAt(this.#scale, place));
  }
}
