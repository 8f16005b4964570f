import type { Outcome } from "../core/call/call.ts";
import { formatDollars } from "../core/call/spending.ts";
import {
  describeMode,
  describeOutcome,
  type RunRecord,
  computeRunTotals,
} from "../core/view/run-record/run-record.ts";
import type { WhichTime } from "../core/view/run-record/run-times.ts";
import type { RunChoice } from "../core/view/run-record/timeline-data.ts";
import { makeButton, makeElement } from "./dom.ts";
import { localize } from "../core/base/localize.ts";
import { formatCount, localizeCount } from "../core/base/plural.ts";
import { createSign } from "./bars.ts";

/** In the same order whichever came first. */
const OUTCOMES: readonly Outcome[] = ["replayed", "recorded", "forwarded", "defaulted", "miss", "refused"];

/** The name of a run, what became of its calls (which is the legend as well), and what they took. */
export function createHeading(run: RunRecord, isLive: boolean): HTMLElement {
  return makeElement(
    "header",
    {},
    makeElement("h1", {}, runTitle(run)),
    makeElement("p", {}, ...figuresOf(run, isLive)),
  );
}

function figuresOf(run: RunRecord, isLive: boolean): readonly HTMLElement[] {
  const totals = computeRunTotals(run.calls);
  const { input, output, cached, costUsd, unpriced, counts } = totals;
  const figures = [
    ...(input + output > 0
      ? [localizeCount(input, "{0} token in", "{0} tokens in"), localize("{0} out", formatCount(output))]
      : []),
    ...(cached > 0 ? [localize("{0} cached", formatCount(cached))] : []),
    ...(costUsd > 0 ? [localize("about {0}", formatDollars(costUsd))] : []),
    ...(unpriced > 0 ? [localize("{0} of unknown price", formatCount(unpriced))] : []),
    ...((counts.replayed ?? 0) > 0 && costUsd > 0 ? [localize("(replays counted as recorded)")] : []),
    ...(run.left === undefined
      ? []
      : [localizeCount(run.left, "{0} more call is not kept", "{0} more calls are not kept")]),
  ];
  return [
    ...(isLive ? [makeElement("span", { class: "live" }, localize("running"))] : []),
    ...outcomeWords(run).map((text) => makeElement("span", {}, text)),
    ...OUTCOMES.filter((outcome) => counts[outcome] !== undefined).map((outcome) =>
      makeElement(
        "span",
        { class: "outcome" },
        createSign(outcome),
        `${formatCount(counts[outcome] ?? 0)} ${describeOutcome(outcome)}`,
      ),
    ),
    ...figures.map((text) => makeElement("span", { class: "muted" }, text)),
  ];
}

/** A pipe hides the exit code of the tests before it, so a run with missed calls is not reported as passed. */
function outcomeWords({ passed, calls }: RunRecord): readonly string[] {
  if (passed === false) return [localize("failed")];
  const isDoubtful = calls.some(({ outcome }) => outcome === "miss" || outcome === "refused");
  return passed === true && !isDoubtful ? [localize("passed")] : [];
}

function runTitle({ title, startedAt, mode }: RunRecord): string {
  const when = new Date(startedAt).toLocaleString(localize("en-US"), {
    dateStyle: "medium",
    timeStyle: "short",
  });
  return [title, describeMode(mode), when].filter((part) => part !== undefined).join(" · ");
}

export function createEmptyText(): HTMLElement {
  return makeElement(
    "div",
    { class: "empty" },
    makeElement("h1", {}, localize("No run is stored yet")),
    makeElement("p", {}, localize("Run tests that use Tapedeck. Each run is then shown here, call by call.")),
  );
}

interface ToolbarState {
  readonly search: string;
  readonly time: WhichTime;
  /** The runs to choose from; fewer than two give no choice. */
  readonly choices: readonly RunChoice[];
  readonly run: string | undefined;
}

interface ToolbarActions {
  search(text: string): void;
  time(which: WhichTime): void;
  /** By a factor, around the middle; undefined shows the whole run. */
  zoom(factor: number | undefined): void;
  show(run: string): void;
}

export function createToolbar(actions: ToolbarActions) {
  const search = makeElement("input", {
    type: "search",
    placeholder: localize("Search calls"),
    "aria-label": localize("Search calls"),
  });
  search.addEventListener("input", () => actions.search(search.value));
  const times = timeButtons(actions);
  const run = choice(localize("Run"), (id) => actions.show(id));
  const node = makeElement(
    "div",
    { class: "toolbar", role: "group", "aria-label": localize("Timeline") },
    search,
    makeElement(
      "span",
      { class: "group", role: "group", "aria-label": localize("Time") },
      ...times.map((one) => one.node),
    ),
    makeElement(
      "span",
      { class: "group", role: "group", "aria-label": localize("Zoom") },
      ...zoomButtons(actions),
    ),
    run.node,
  );
  return {
    node,
    draw(state: ToolbarState): void {
      // A text that is being typed is left alone.
      if (document.activeElement !== search) search.value = state.search;
      for (const one of times) one.node.setAttribute("aria-pressed", String(one.which === state.time));
      run.draw(state.choices.length < 2 ? [] : state.choices, state.run);
    },
  };
}

function timeButtons(actions: ToolbarActions) {
  const time = (which: WhichTime, text: string, title: string) => ({
    which,
    node: makeButton(text, { title }, () => actions.time(which)),
  });
  return [
    time("run", localize("This run"), localize("The time that calls took in this run")),
    time(
      "recorded",
      localize("As recorded"),
      localize("The time that responses took when they were recorded"),
    ),
  ];
}

function zoomButtons(actions: ToolbarActions): readonly HTMLButtonElement[] {
  // The title is the accessible text of a symbol.
  return [
    makeButton("+", { title: localize("Zoom in"), "aria-label": localize("Zoom in") }, () => actions.zoom(2)),
    makeButton("−", { title: localize("Zoom out"), "aria-label": localize("Zoom out") }, () =>
      actions.zoom(0.5),
    ),
    makeButton(localize("Fit"), { title: localize("Show the whole run") }, () => actions.zoom(undefined)),
  ];
}

function choice(name: string, chosen: (id: string) => void) {
  const select = makeElement("select", { "aria-label": name });
  select.addEventListener("change", () => chosen(select.value));
  const node = makeElement(
    "label",
    { class: "choice" },
    makeElement("span", { class: "muted" }, name),
    select,
  );
  let shown = "";
  return {
    node,
    draw(choices: readonly RunChoice[], value: string | undefined): void {
      node.hidden = choices.length === 0;
      const now = JSON.stringify(choices);
      if (now !== shown)
        select.replaceChildren(
          ...choices.map(({ id, title }) => makeElement("option", { value: id }, title)),
        );
      shown = now;
      select.value = value ?? "";
    },
  };
}
