import { computeWidths, countColumns, padColumns } from "../../base/columns.ts";
import { localize } from "../../base/localize.ts";
import { formatDollars, formatSpending } from "../../call/spending.ts";
import { formatCount, localizeCount } from "../../base/plural.ts";
import {
  createDocumentWriter,
  type DocumentWriter,
  type LinkTarget,
  type RenderedDocument,
} from "../rendered-document.ts";
import { describeMode } from "../run-record/run-record.ts";
import { formatDuration } from "../run-record/timeline-document.ts";
import { makeVisibleLine } from "../../base/visible.ts";
import {
  countSummedCalls,
  sumSavedMs,
  countSentCalls,
  type CallSums,
  type DayRow,
  type Overview,
} from "./overview.ts";

export interface OverviewDocumentOptions {
  /** Formats the start of a run: date and time of this machine. */
  readonly timeOf: (at: number) => string;
}

const SHOWN_MODELS = 12;
const SHOWN_RUNS = 20;

/** Renders the overview as a document: totals first, each with its basis. Names link to their calls, runs to their timelines. */
export function renderOverview(overview: Overview, { timeOf }: OverviewDocumentOptions): RenderedDocument {
  const { days, models, latest } = overview;
  const writer = createDocumentWriter();
  writePeriod(writer, overview);
  writeDays(writer, days);
  writeTable(writer, localize("by model"), {
    head: modelHeads(),
    rows: models.slice(0, SHOWN_MODELS).map(({ provider, model, sums }) => ({
      name: [provider, model].filter(Boolean).join(" "),
      target: { kind: "calls", provider, ...(model !== undefined && { model }) },
      cells: [
        ...[sums.outcomes.replayed, countSentCalls(sums), sums.outcomes.miss].map(formatCount),
        moneyText(sums.saved.costUsd, sums.saved.unpricedCalls),
        moneyText(sums.paid.costUsd, sums.paid.unpricedCalls),
      ],
    })),
  });
  writeTable(writer, localize("runs"), {
    rows: latest.slice(0, SHOWN_RUNS).map(({ id, at, ms, mode, sums }) => ({
      name: timeOf(at),
      target: { kind: "run", id },
      cells: [describeMode(mode), formatDuration(ms), formatOutcomes(sums)],
    })),
  });
  return writer.finish();
}

const modelHeads = (): readonly string[] => [
  localize("replayed"),
  localize("sent"),
  localize("missing"),
  localize("saved"),
  localize("spent"),
];

function writePeriod(writer: DocumentWriter, { days, runs, sums }: Overview): void {
  const period = days.length === 1 ? localize("Today") : localize("Last {0} days", days.length);
  if (countSummedCalls(sums) === 0) return writer.line(localize("{0}: no runs on this machine.", period));
  writer.line(localizeCount(runs, "{1}, {0} run: {2}", "{1}, {0} runs: {2}", period, formatOutcomes(sums)));
  const { outcomes, saved, paid, timed } = sums;
  if (outcomes.replayed > 0) {
    writer.line(
      "    ",
      localize(
        "Saved money: {0} (list prices of {1} of {2} replayed calls)",
        moneyText(saved.costUsd, saved.unpricedCalls),
        formatCount(saved.calls - saved.unpricedCalls),
        formatCount(outcomes.replayed),
      ),
    );
    writer.line(
      "    ",
      localize(
        "Saved time: {0} (recorded times of {1} of {2} replayed calls)",
        timed === 0 ? localize("unknown") : localize("about {0}", formatDuration(sumSavedMs(sums))),
        formatCount(timed),
        formatCount(outcomes.replayed),
      ),
    );
  }
  if (countSentCalls(sums) > 0) writer.line("    ", localize("Spent: {0}.", formatSpending(paid)));
}

const BAR = 24;

/** Writes the days with runs, newest first, each with a bar of its calls: replayed ones are solid, others shaded. */
function writeDays(writer: DocumentWriter, days: readonly DayRow[]): void {
  const most = Math.max(1, ...days.map(({ sums }) => countSummedCalls(sums)));
  const widthOf = (calls: number): number => Math.ceil((BAR * calls) / most);
  writeTable(writer, localize("day by day"), {
    rows: days
      .filter(({ runs }) => runs > 0)
      .reverse()
      .map(({ day, runs, sums }) => {
        const { replayed } = sums.outcomes;
        const whole = widthOf(countSummedCalls(sums));
        const solid = Math.min(whole, widthOf(replayed));
        return {
          name: day,
          cells: [
            localizeCount(runs, "{0} run", "{0} runs"),
            [
              ...(sums.saved.costUsd > 0 ? [localize("saved {0}", formatDollars(sums.saved.costUsd))] : []),
              ...(sums.paid.costUsd > 0 ? [localize("spent {0}", formatDollars(sums.paid.costUsd))] : []),
            ].join(" · "),
            `${"█".repeat(solid)}${"░".repeat(whole - solid)} ${formatOutcomes(sums)}`,
          ],
        };
      }),
  });
}

interface Table {
  /** Titles of the columns after the name. */
  readonly head?: readonly string[];
  readonly rows: readonly {
    readonly name: string;
    readonly target?: LinkTarget;
    readonly cells: readonly string[];
  }[];
}

/** Writes columns that are as wide as their widest cell. Without rows it writes nothing. */
function writeTable(writer: DocumentWriter, title: string, { head = [], rows }: Table): void {
  if (rows.length === 0) return;
  writer.line();
  writer.section(title);
  const names = rows.map(({ name }) => makeVisibleLine(name));
  const nameWidth = Math.max(...names.map(countColumns));
  const widths = computeWidths([head, ...rows.map(({ cells }) => cells)]);
  const cellsText = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === cells.length - 1 ? cell : padColumns(cell, widths[index] ?? 0)))
      .join("   ");
  if (head.length > 0) writer.line(`${"".padEnd(nameWidth)}   ${cellsText(head)}`);
  for (const [index, { target, cells }] of rows.entries()) {
    const name = names[index] ?? "";
    writer.line(
      target ? { text: name, target } : name,
      `${" ".repeat(nameWidth - countColumns(name))}   ${cellsText(cells)}`,
    );
  }
}

/** "1,200 replayed · 20 sent · 4 missing"; zeros are left out, except for replays. */
export function formatOutcomes(sums: CallSums): string {
  const { replayed, defaulted, miss, refused } = sums.outcomes;
  const sent = countSentCalls(sums);
  return [
    localize("{0} replayed", formatCount(replayed)),
    ...(sent > 0 ? [localize("{0} sent", formatCount(sent))] : []),
    ...(defaulted > 0 ? [localize("{0} mocked", formatCount(defaulted))] : []),
    ...(miss > 0 ? [localize("{0} missing", formatCount(miss))] : []),
    ...(refused > 0 ? [localize("{0} refused", formatCount(refused))] : []),
  ].join(" · ");
}

/** "about $1.20"; "nothing" if the calls were free; "unknown" if no price is known. */
function moneyText(costUsd: number, unpriced: number): string {
  if (costUsd > 0) return localize("about {0}", formatDollars(costUsd));
  return unpriced > 0 ? localize("unknown") : localize("nothing");
}
