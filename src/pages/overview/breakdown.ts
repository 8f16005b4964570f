import type { Again } from "../../core/overview/again.ts";
import type { OverviewData, ShownRun } from "../../core/overview/overview-data.ts";
import type { PartRow } from "../../core/overview/overview.ts";
import { durationText, moneyText, paidMoney, savedMoney } from "../../core/overview/texts.ts";
import { sentIn } from "../../core/overview/sums.ts";
import { countText } from "../../core/plural.ts";
import type { UsageTest } from "../../core/usage/usage.ts";
import { testTitle } from "../../core/view/names.ts";
import { element } from "../dom.ts";
import { dayText } from "./days-model.ts";
import { callsLink, link, numbers, numberWithBar, section, table, type Ask, type Column } from "./parts.ts";

/** By provider where there are several, and by model. */
export function modelsPart(
  { overview: { providers, models } }: OverviewData,
  ask: Ask,
): HTMLElement | undefined {
  if (models.length === 0) return undefined;
  const byProvider = table(
    "By provider",
    partColumns("Provider", providers, ({ provider }) => callsLink(provider, { provider }, ask)),
    providers,
  );
  const byModel = table(
    "By model",
    partColumns("Model", models, ({ provider, model }) =>
      model === undefined
        ? callsLink(`${provider}, no model`, { provider }, ask)
        : callsLink(model, { provider, model }, ask),
    ),
    models,
  );
  return section("By provider and model", providers.length > 1 ? byProvider : undefined, byModel);
}

function partColumns<T extends PartRow<object>>(
  name: string,
  rows: readonly T[],
  cell: (row: T) => Node,
): readonly Column<T>[] {
  const most = Math.max(...rows.map(({ again }) => again.costUsd));
  return [
    { name, cell },
    numbers("Replayed", ({ sums }) => countText(sums.outcomes.replayed), "some"),
    numbers("Sent", ({ sums }) => countText(sentIn(sums)), "much"),
    numbers("Saved", ({ sums }) => moneyText(savedMoney(sums)), "some"),
    numbers("Spent", ({ sums }) => moneyText(paidMoney(sums)), "much"),
    numbers("Recordings", ({ again }) => countText(again.recordings), "much"),
    numbers("To record again", ({ again }) =>
      numberWithBar(moneyText(again), most > 0 ? again.costUsd / most : 0),
    ),
  ];
}

/** The dearest and the slowest tests, by what their recordings took. */
export function testsPart({ tests }: OverviewData, ask: Ask): HTMLElement | undefined {
  if (tests.dearest.length + tests.slowest.length === 0) return undefined;
  const dearest = testTable("Most expensive to re-record", tests.dearest, ask, {
    name: "Cost",
    text: moneyText,
    measure: ({ costUsd }) => costUsd,
  });
  const slowest = testTable("Slowest to record again", tests.slowest, ask, {
    name: "Time",
    text: ({ ms }) => durationText(ms),
    measure: ({ ms }) => ms,
  });
  return section("Tests", element("div", { class: "pair" }, dearest, slowest));
}

interface Measure {
  readonly name: string;
  readonly text: (again: Again) => string;
  readonly measure: (again: Again) => number;
}

function testTable(
  title: string,
  rows: OverviewData["tests"]["dearest"],
  ask: Ask,
  { name, text, measure }: Measure,
): HTMLElement {
  const most = Math.max(0, ...rows.map(({ again }) => measure(again)));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    { name: title, cell: ({ test }) => testCell(test, ask) },
    numbers("Calls", ({ again }) => countText(again.recordings), "much"),
    numbers(name, ({ again }) => numberWithBar(text(again), measure(again) / most)),
  ];
  return rows.length === 0
    ? element("p", { class: "muted" }, `${title}: not known.`)
    : element("div", { class: "table" }, table(title, columns, rows));
}

function testCell(test: UsageTest, ask: Ask): Node {
  const { file, name } = test;
  if (name.length === 0) return callsLink(file, { test }, ask);
  const place = element("span", { class: "file muted" }, file);
  return element("span", {}, callsLink(testTitle({ file, name }), { test }, ask), place);
}

/** So many runs are shown before more are asked for. */
const RUNS = 10;

/** Runs of the period, or of a day of it; each opens its timeline. */
export function runsPart(
  { runs }: OverviewData,
  { day, isWhole, ask, more, all }: RunsOptions,
): HTMLElement | undefined {
  if (runs.length === 0) return undefined;
  const found = day === undefined ? runs : runs.filter((run) => run.day === day);
  const shown = isWhole ? found : found.slice(0, RUNS);
  const title = day === undefined ? "Runs" : `Runs of ${dayText(day)}`;
  const buttons = [
    ...(shown.length < found.length
      ? [link(`${countText(found.length - shown.length)} more runs`, "Show them as well", more)]
      : []),
    ...(day === undefined ? [] : [link("Runs of all days", "Show them again", all)]),
  ];
  const part = section(title, table(title, runColumns(ask), shown), element("p", {}, ...buttons));
  part.id = "runs";
  part.tabIndex = -1;
  return part;
}

export interface RunsOptions {
  readonly day: string | undefined;
  readonly isWhole: boolean;
  readonly ask: Ask;
  readonly more: () => void;
  readonly all: () => void;
}

function runColumns(ask: Ask): readonly Column<ShownRun>[] {
  const when = (at: number): string =>
    new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return [
    {
      name: "Run",
      cell: ({ id, at, day }) =>
        link(`${dayText(day)}, ${when(at)}`, "Show its timeline", () => ask({ type: "run", id })),
    },
    { name: "Mode", needs: "much", cell: ({ mode }) => mode },
    numbers("Replayed", ({ replayed }) => countText(replayed)),
    numbers("Sent", ({ sent }) => countText(sent), "some"),
    numbers("Missing", ({ missing }) => countText(missing)),
    numbers("Took", ({ ms }) => durationText(ms), "much"),
    numbers("Time saved", ({ savedMs }) => durationText(savedMs), "much"),
    numbers("Saved", ({ savedUsd }) => moneyText({ costUsd: savedUsd, unpriced: 0 }), "much"),
  ];
}
