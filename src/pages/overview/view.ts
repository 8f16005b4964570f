import { PERIODS, type OverviewData } from "../../core/overview/overview-data.ts";
import { countText } from "../../core/plural.ts";
import { button, element } from "../dom.ts";
import { modelsPart, runsPart, testsPart } from "./breakdown.ts";
import { daysPart } from "./days.ts";
import { periodPart, recordingsPart } from "./facts.ts";
import { section, type Ask } from "./parts.ts";

/** What a person chose; kept over hiding. */
export interface ViewState {
  readonly period?: number;
  readonly isTableOpen?: boolean;
}

interface ViewOptions {
  readonly main: HTMLElement;
  readonly state: ViewState;
  readonly keep: (state: ViewState) => void;
  readonly ask: Ask;
}

export interface OverviewView {
  show(data: OverviewData): void;
  /** Recordings are being read, so many of so many. */
  reading(progress: { readonly done: number; readonly all: number }): void;
  failed(reason: string): void;
}

export function createOverviewView(options: ViewOptions): OverviewView {
  const { main, ask } = options;
  let { state } = options;
  let data: OverviewData | undefined;
  let chosen: Chosen = { day: undefined, isWhole: false };
  const status = element("p", { class: "status muted", role: "status" });
  const choices: Choices = {
    ask,
    keep: (change) => options.keep((state = { ...state, ...change })),
    choose(now) {
      chosen = now;
      draw();
    },
  };
  const draw = (): void => {
    if (data === undefined) return;
    const focusAgain = placeOfFocus(main);
    main.replaceChildren(
      heading(data.period, choices),
      status,
      ...viewContent(data, { state, chosen, choices }),
    );
    focusAgain();
  };
  return {
    show(now) {
      data = now;
      status.textContent = now.reading === undefined ? "" : "Reading recordings…";
      draw();
    },
    reading({ done, all }) {
      status.textContent = `Reading recordings: ${countText(done)} of ${countText(all)}…`;
    },
    failed(reason) {
      status.textContent = reason;
      if (data === undefined) main.replaceChildren(status);
    },
  };
}

/** Which runs are listed: of a day or of all, and whether all of them. */
interface Chosen {
  readonly day: string | undefined;
  readonly isWhole: boolean;
}

interface Choices {
  readonly ask: Ask;
  readonly keep: (change: ViewState) => void;
  readonly choose: (chosen: Chosen) => void;
}

interface Showing {
  readonly state: ViewState;
  readonly chosen: Chosen;
  readonly choices: Choices;
}

function viewContent(data: OverviewData, { state, chosen, choices }: Showing): readonly HTMLElement[] {
  const { ask, keep, choose } = choices;
  const { overview, recordings, reading } = data;
  if (overview.runs === 0 && recordings.again.recordings === 0 && reading === undefined)
    return [emptyPart(ask)];
  const chooseDay = (day: string | undefined): void => {
    choose({ day, isWhole: false });
    goToRuns();
  };
  const parts = [
    periodPart(data, { choose: chooseDay, ask }),
    daysPart(data, {
      isOpen: state.isTableOpen === true,
      onToggle: (isTableOpen) => keep({ isTableOpen }),
      choose: chooseDay,
    }),
    modelsPart(data, ask),
    testsPart(data, ask),
    recordingsPart(data, ask),
    runsPart(data, {
      ...chosen,
      ask,
      more: () => choose({ ...chosen, isWhole: true }),
      all: () => chooseDay(undefined),
    }),
  ];
  return parts.filter((part) => part !== undefined);
}

function goToRuns(): void {
  const runs = document.getElementById("runs");
  runs?.scrollIntoView({ block: "nearest" });
  runs?.focus({ preventScroll: true });
}

/** Gives the focus back to what stands in the place of the focused element, once all is drawn anew. */
function placeOfFocus(main: HTMLElement): () => void {
  const buttons = (): readonly HTMLElement[] => [...main.querySelectorAll<HTMLElement>("button, summary")];
  const at = buttons().findIndex((one) => one === document.activeElement);
  return () => {
    if (at >= 0) buttons()[at]?.focus({ preventScroll: true });
  };
}

function heading(period: number, { ask, keep, choose }: Choices): HTMLElement {
  const buttons = PERIODS.map((days) =>
    button(`${days} days`, { "aria-pressed": String(days === period) }, () => {
      keep({ period: days });
      choose({ day: undefined, isWhole: false });
      ask({ type: "period", days });
    }),
  );
  return element(
    "header",
    {},
    element("h1", {}, "Overview"),
    element("div", { class: "group", role: "group", "aria-label": "Period" }, ...buttons),
  );
}

function emptyPart(ask: Ask): HTMLElement {
  const start = button("Get Started", {}, () => ask({ type: "start" }));
  return section(
    "Nothing yet",
    element("p", {}, "Nothing is recorded, and no run was noted on this machine."),
    element("p", {}, start),
  );
}
