import type { WhichTime } from "../../core/view/run-record/run-times.ts";
import type { RunChoice } from "../../core/view/run-record/timeline-data.ts";
import { button, element } from "../dom.ts";

export interface ToolbarState {
  readonly search: string;
  readonly time: WhichTime;
  /** The runs to choose from; fewer than two give no choice. */
  readonly choices: readonly RunChoice[];
  readonly run: string | undefined;
  readonly second: string | undefined;
}

export interface ToolbarActions {
  search(text: string): void;
  time(which: WhichTime): void;
  /** By a factor, around the middle; undefined shows the whole run. */
  zoom(factor: number | undefined): void;
  show(run: string): void;
  compare(run: string): void;
  nextDeparture(): void;
}

export interface Toolbar {
  readonly node: HTMLElement;
  draw(state: ToolbarState): void;
}

export function createToolbar(actions: ToolbarActions): Toolbar {
  const search = element("input", {
    type: "search",
    placeholder: "Search calls",
    "aria-label": "Search calls",
  });
  search.addEventListener("input", () => actions.search(search.value));
  const time = (which: WhichTime, text: string, title: string) => {
    return { which, node: button(text, { title }, () => actions.time(which)) };
  };
  const times = [
    time("run", "This run", "The time that calls took in this run"),
    time("recorded", "As recorded", "The time that answers took when they were recorded"),
  ];
  const run = choice("Run", (id) => actions.show(id));
  const second = choice("Beside it", (id) => actions.compare(id));
  const title = "Go to the next test in which the two runs depart";
  const next = button("Next departure", { title }, () => actions.nextDeparture());
  const node = element(
    "div",
    { class: "toolbar", role: "group", "aria-label": "Timeline" },
    search,
    element("span", { class: "group", role: "group", "aria-label": "Time" }, ...times.map((one) => one.node)),
    element("span", { class: "group", role: "group", "aria-label": "Zoom" }, ...zoomButtons(actions)),
    run.node,
    second.node,
    next,
  );
  return {
    node,
    draw(state) {
      // A text that is being typed is left alone.
      if (document.activeElement !== search) search.value = state.search;
      for (const one of times) one.node.setAttribute("aria-pressed", String(one.which === state.time));
      const others = state.choices.filter(({ id }) => id !== state.run);
      run.draw(state.choices.length < 2 ? [] : state.choices, state.run);
      second.draw(
        others.length === 0 ? [] : [{ id: "", title: "No other run" }, ...others],
        state.second ?? "",
      );
      next.hidden = state.second === undefined;
    },
  };
}

function zoomButtons(actions: ToolbarActions): readonly HTMLButtonElement[] {
  // Where the text is a sign, its title is what is said.
  return [
    button("+", { title: "Zoom in", "aria-label": "Zoom in" }, () => actions.zoom(2)),
    button("−", { title: "Zoom out", "aria-label": "Zoom out" }, () => actions.zoom(0.5)),
    button("Fit", { title: "Show the whole run" }, () => actions.zoom(undefined)),
  ];
}

function choice(name: string, chosen: (id: string) => void) {
  const select = element("select", { "aria-label": name });
  select.addEventListener("change", () => chosen(select.value));
  const node = element("label", { class: "choice" }, element("span", { class: "muted" }, name), select);
  let shown = "";
  return {
    node,
    draw(choices: readonly RunChoice[], value: string | undefined): void {
      node.hidden = choices.length === 0;
      const now = JSON.stringify(choices);
      if (now !== shown)
        select.replaceChildren(...choices.map(({ id, title }) => element("option", { value: id }, title)));
      shown = now;
      select.value = value ?? "";
    },
  };
}
