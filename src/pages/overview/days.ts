import type { OverviewData } from "../../core/overview/overview-data.ts";
import { durationText, moneyText, paidMoney, savedMoney } from "../../core/overview/texts.ts";
import { callsIn, savedMs, sentIn } from "../../core/overview/sums.ts";
import { countText } from "../../core/plural.ts";
import { element, shape } from "../dom.ts";
import {
  barsOf,
  barsText,
  dayText,
  MULTIPLES,
  type DayBar,
  type Layer,
  type Multiple,
} from "./days-model.ts";
import { link, numbers, section, table, type Column } from "./parts.ts";

const HEIGHT = 40;
const [BAR, GAP] = [8, 2];

/** Small pictures of the same days beside each other, and the table behind them. `choose` shows a day's runs. */
export function daysPart(
  { overview: { days } }: OverviewData,
  { isOpen, onToggle, choose }: DaysOptions,
): HTMLElement {
  const charts = MULTIPLES.map((multiple) => chart(days, multiple, choose));
  const details = element("details", {}, element("summary", {}, "Numbers by day"), dayTable(days, choose));
  details.open = isOpen;
  details.addEventListener("toggle", () => onToggle(details.open));
  return section("Day by day", element("div", { class: "multiples" }, ...charts), details);
}

export interface DaysOptions {
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
  readonly choose: (day: string) => void;
}

type Days = OverviewData["overview"]["days"];

function chart(days: Days, multiple: Multiple, choose: (day: string) => void): HTMLElement {
  const { most, bars } = barsOf(days, multiple);
  const { title, layers, text } = multiple;
  const picture = shape(
    "svg",
    {
      class: "bars",
      viewBox: `0 0 ${days.length * (BAR + GAP)} ${HEIGHT}`,
      preserveAspectRatio: "none",
      role: "img",
      "aria-label": barsText(days, multiple),
    },
    ...bars.map((bar, index) => barOf(bar, index, titleOf(days[index], multiple))),
  );
  picture.addEventListener("click", ({ target }) => {
    const day =
      target instanceof Element ? target.closest("[data-day]")?.getAttribute("data-day") : undefined;
    if (day) choose(day);
  });
  const [first, last] = [days.at(0)?.day, days.at(-1)?.day];
  return element(
    "figure",
    {},
    element("figcaption", {}, element("strong", {}, title), ...layers.map(({ kind }) => legendKey(kind))),
    element("div", { class: "muted" }, most > 0 ? `most in a day: ${text(most)}` : "nothing"),
    picture,
    element(
      "div",
      { class: "ends muted", "aria-hidden": "true" },
      element("span", {}, first === undefined ? "" : dayText(first)),
      element("span", {}, last === undefined ? "" : dayText(last)),
    ),
  );
}

function barOf({ day, parts }: DayBar, index: number, title: string): Element {
  const left = index * (BAR + GAP);
  return shape(
    "g",
    { "data-day": day },
    shape("title", {}, title),
    // All of the day's height can be pointed at.
    shape("rect", { class: "day", x: left, width: BAR + GAP, height: HEIGHT }),
    ...parts.map(({ kind, from, to }) =>
      shape("rect", {
        class: `is-${kind}`,
        x: left + GAP / 2,
        y: HEIGHT * (1 - to),
        width: BAR,
        height: HEIGHT * (to - from),
      }),
    ),
  );
}

function legendKey(kind: Layer["kind"]): HTMLElement {
  const colour = shape("rect", { class: `is-${kind}`, width: 8, height: 8 });
  return element(
    "span",
    { class: "key" },
    shape("svg", { viewBox: "0 0 8 8", "aria-hidden": "true" }, colour),
    kind,
  );
}

function titleOf(row: Days[number] | undefined, { layers, text }: Multiple): string {
  if (row === undefined) return "";
  return [dayText(row.day), ...layers.map(({ kind, of }) => `${kind} ${text(of(row.sums))}`)].join("\n");
}

function dayTable(days: Days, choose: (day: string) => void): HTMLElement {
  const used = days.filter(({ runs }) => runs > 0).toReversed();
  if (used.length === 0) return element("p", { class: "muted" }, "No run in these days.");
  const columns: readonly Column<Days[number]>[] = [
    { name: "Day", cell: ({ day }) => link(dayText(day), "Show the runs of this day", () => choose(day)) },
    numbers("Runs", ({ runs }) => countText(runs), "some"),
    numbers("Calls", ({ sums }) => countText(callsIn(sums)), "much"),
    numbers("Replayed", ({ sums }) => countText(sums.outcomes.replayed)),
    numbers("Sent", ({ sums }) => countText(sentIn(sums)), "some"),
    numbers("Missing", ({ sums }) => countText(sums.outcomes.miss), "much"),
    numbers("Saved", ({ sums }) => moneyText(savedMoney(sums))),
    numbers("Time saved", ({ sums }) => durationText(savedMs(sums)), "much"),
    numbers("Spent", ({ sums }) => moneyText(paidMoney(sums)), "much"),
  ];
  return table("What runs came to, by day", columns, used);
}
