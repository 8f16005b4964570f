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
import { callsLink, link, numberWithBar, section, table, type Ask, type Column } from "./parts.ts";

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
    {
      name: "Replayed",
      isNumber: true,
      needs: "some",
      cell: ({ sums }) => countText(sums.outcomes.replayed),
    },
    { name: "Sent", isNumber: true, needs: "much", cell: ({ sums }) => countText(sentIn(sums)) },
    { name: "Saved", isNumber: true, needs: "some", cell: ({ sums }) => moneyText(savedMoney(sums)) },
    { name: "Spent", isNumber: true, needs: "much", cell: ({ sums }) => moneyText(paidMoney(sums)) },
    { name: "Recordings", isNumber: true, needs: "much", cell: ({ again }) => countText(again.recordings) },
    {
      name: "To record again",
      isNumber: true,
      cell: ({ again }) => numberWithBar(moneyText(again), most > 0 ? again.costUsd / most : 0),
    },
  ];
}

/** The dearest and the slowest tests, by what their recordings took. */
export function testsPart({ tests }: OverviewData, ask: Ask): HTMLElement | undefined {
  if (tests.dearest.length + tests.slowest.length === 0) return undefined;
  const dearest = testTable("Dearest to record again", tests.dearest, ask, {
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
  const shown = table(
    title,
    [
      { name: title, cell: ({ test }) => testCell(test, ask) },
      { name: "Calls", isNumber: true, needs: "much", cell: ({ again }) => countText(again.recordings) },
      { name, isNumber: true, cell: ({ again }) => numberWithBar(text(again), measure(again) / most) },
    ],
    rows,
  );
  return rows.length === 0
    ? element("p", { class: "muted" }, `${title}: not known.`)
    : element("div", { class: "table" }, shown);
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
    { name: "Replayed", isNumber: true, cell: ({ replayed }) => countText(replayed) },
    { name: "Sent", isNumber: true, needs: "some", cell: ({ sent }) => countText(sent) },
    { name: "Missing", isNumber: true, cell: ({ missing }) => countText(missing) },
    { name: "Took", isNumber: true, needs: "much", cell: ({ ms }) => durationText(ms) },
    { name: "Time saved", isNumber: true, needs: "much", cell: ({ savedMs }) => durationText(savedMs) },
    {
      name: "Saved",
      isNumber: true,
      needs: "much",
      cell: ({ savedUsd }) => moneyText({ costUsd: savedUsd, unpriced: 0 }),
    },
  ];
}
