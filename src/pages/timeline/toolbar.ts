import type { WhichTime } from "../../core/run-record/run-times.ts";
import type { RunChoice } from "../../core/run-record/timeline-data.ts";
import { element } from "../dom.ts";

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
  const times = [
    { which: "run", button: button("This run", "The time that calls took in this run") },
    {
      which: "recorded",
      button: button("As recorded", "The time that answers took when they were recorded"),
    },
  ] as const;
  for (const { which, button: one } of times) one.addEventListener("click", () => actions.time(which));
  const run = choice("Run", (id) => actions.show(id));
  const second = choice("Beside it", (id) => actions.compare(id));
  const next = button("Next departure", "Go to the next test in which the two runs depart");
  next.addEventListener("click", () => actions.nextDeparture());
  const node = element(
    "div",
    { class: "toolbar", role: "group", "aria-label": "Timeline" },
    search,
    element(
      "span",
      { class: "group", role: "group", "aria-label": "Time" },
      ...times.map((one) => one.button),
    ),
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
      for (const { which, button: one } of times)
        one.setAttribute("aria-pressed", String(which === state.time));
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
  const buttons = [
    { button: button("+", "Zoom in"), factor: 2 },
    { button: button("−", "Zoom out"), factor: 0.5 },
    { button: button("Fit", "Show the whole run"), factor: undefined },
  ];
  for (const { button: one, factor } of buttons) one.addEventListener("click", () => actions.zoom(factor));
  return buttons.map((one) => one.button);
}

function button(text: string, title: string): HTMLButtonElement {
  // Where the text is a sign, its title is what is said.
  const name = /\w/.test(text) ? {} : { "aria-label": title };
  return element("button", { type: "button", title, ...name }, text);
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
