import { countColumns, padColumns } from "../../base/columns.ts";
import { localize } from "../../base/localize.ts";
import { formatDollars, formatSpending } from "../../call/spending.ts";
import { formatCount, localizeCount, formatSize } from "../../base/plural.ts";
import { formatTestTitle } from "../../call/test-names.ts";
import {
  createDocumentWriter,
  type DocumentWriter,
  type LinkTarget,
  type RenderedDocument,
  type Span,
} from "../rendered-document.ts";
import { describeMode } from "../run-record/run-record.ts";
import { makeVisibleLine } from "../../base/visible.ts";
import {
  countSummedCalls,
  sumSavedMs,
  countSentCalls,
  type CallSums,
  type DayRow,
  type Overview,
  type RecordingSums,
} from "./overview.ts";

export interface OverviewDocumentOptions {
  /** Formats the start of a run: date and time of this machine. */
  readonly timeOf: (at: number) => string;
}

const SHOWN_PARTS = 12;
const SHOWN_RUNS = 20;

/** Renders the overview as a document: totals first, each with its basis. Names link to their calls, runs to their timelines. */
export function renderOverview(overview: Overview, { timeOf }: OverviewDocumentOptions): RenderedDocument {
  const { days, models, tests, latest, recordings } = overview;
  const writer = createDocumentWriter();
  writePeriod(writer, overview);
  writeDays(writer, days);
  writeTable(writer, localize("by model"), {
    head: modelHeads(),
    rows: models.slice(0, SHOWN_PARTS).map(({ provider, model, sums, again }) => ({
      name: [provider, model].filter(Boolean).join(" "),
      target: { kind: "calls", provider, ...(model !== undefined && { model }) },
      cells: [
        ...[sums.outcomes.replayed, countSentCalls(sums), sums.outcomes.miss].map(formatCount),
        moneyText(sums.saved.costUsd, sums.saved.unpricedCalls),
        moneyText(sums.paid.costUsd, sums.paid.unpricedCalls),
        formatCount(again.recordings),
        moneyText(again.costUsd, again.unpriced),
      ],
    })),
  });
  const writeTests = (title: string, of: (again: RecordingSums) => number, text: (value: number) => string) =>
    writeTable(writer, title, {
      rows: tests
        .filter(({ again }) => of(again) > 0)
        .sort((a, b) => of(b.again) - of(a.again))
        .slice(0, SHOWN_PARTS)
        .map(({ test, again }) => ({
          name: `${test.file} ${formatTestTitle(test)}`.trim(),
          target: { kind: "calls", test: test.name.at(-1) ?? test.file },
          cells: [text(of(again))],
        })),
    });
  writeTests(localize("most expensive tests to re-record"), ({ costUsd }) => costUsd, formatDollars);
  writeTests(localize("slowest tests to re-record"), ({ ms }) => ms, formatCoarseDuration);
  writeRecordings(writer, recordings);
  writeTable(writer, localize("runs"), {
    rows: latest.slice(0, SHOWN_RUNS).map(({ id, at, ms, mode, sums }) => ({
      name: timeOf(at),
      target: { kind: "run", id },
      cells: [describeMode(mode), formatCoarseDuration(ms), formatOutcomes(sums)],
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
  localize("recordings"),
  localize("to re-record"),
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
        "Saved money: {0}. The cost of {1} of {2} replayed calls when they were recorded, by list prices.",
        moneyText(saved.costUsd, saved.unpricedCalls),
        formatCount(saved.calls - saved.unpricedCalls),
        formatCount(outcomes.replayed),
      ),
    );
    writer.line(
      "    ",
      localize(
        "Saved time: {0}. The duration of {1} of {2} replayed calls when they were recorded, minus the replay time.",
        timed === 0 ? localize("unknown") : localize("about {0}", formatCoarseDuration(sumSavedMs(sums))),
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
            sums.saved.costUsd > 0 ? localize("saved {0}", formatDollars(sums.saved.costUsd)) : "",
            sums.paid.costUsd > 0 ? localize("spent {0}", formatDollars(sums.paid.costUsd)) : "",
            `${"█".repeat(solid)}${"░".repeat(whole - solid)} ${formatOutcomes(sums)}`,
          ],
        };
      }),
  });
}

function writeRecordings(
  writer: DocumentWriter,
  { again, unreadable, unused }: Overview["recordings"],
): void {
  writer.line();
  writer.section(localize("recordings"));
  if (again.recordings === 0) return writer.line(localize("There are no recordings."));
  const { recordings, bytes, costUsd, unpriced, ms, timed } = again;
  const link = (text: string, state?: "stale" | "broken"): Span => ({
    text,
    target: { kind: "calls", ...(state && { state }) },
  });
  const count = (number: number): string => localizeCount(number, "{0} recording", "{0} recordings");
  writer.line(link(count(recordings)), localize(", {0} on disk", formatSize(bytes)));
  const time = timed === 0 ? localize("time unknown") : localize("about {0}", formatCoarseDuration(ms));
  writer.line(localize("Re-recording everything: {0}, {1}", moneyText(costUsd, unpriced), time));
  writer.line(
    "    ",
    unpriced === 0
      ? localize("Money: the recorded cost, by list prices.")
      : localize("Money: the recorded cost, by list prices; {0} of unknown price.", formatCount(unpriced)),
  );
  if (timed > 0)
    writer.line(
      "    ",
      localize(
        "Time: the recorded duration of {0} of {1} recordings, one after the other.",
        formatCount(timed),
        formatCount(recordings),
      ),
    );
  if (unreadable.length > 0)
    writer.line(
      localize("Unreadable: "),
      link(count(unreadable.length), "broken"),
      localize(" (run tapedeck check to see why)"),
    );
  if (unused === undefined)
    return writer.line(localize("Unused: unknown until all tests have run without a miss."));
  if (unused.length === 0) return;
  const size = formatSize(unused.reduce((sum, one) => sum + one.bytes, 0));
  writer.line(
    localize("Unused: "),
    link(count(unused.length), "stale"),
    localize(", {0}, not used by the last complete runs (tapedeck prune --dry-run)", size),
  );
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
  const lines = [head, ...rows.map(({ cells }) => cells)];
  const widths = lines.reduce<number[]>(
    (known, cells) => cells.map((cell, index) => Math.max(countColumns(cell), known[index] ?? 0)),
    [],
  );
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

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** Formats a duration with two significant digits or units: "0.4 s", "12 s", "3 min 20 s", "2 h 5 min". */
export function formatCoarseDuration(ms: number): string {
  if (ms < 10 * SECOND) return localize("{0} s", (ms / SECOND).toFixed(1));
  if (ms < MINUTE) return localize("{0} s", Math.round(ms / SECOND));
  if (ms < HOUR) {
    const seconds = Math.round(ms / SECOND);
    return seconds % 60 === 0
      ? localize("{0} min", seconds / 60)
      : localize("{0} min {1} s", Math.floor(seconds / 60), seconds % 60);
  }
  const minutes = Math.round(ms / MINUTE);
  const hours = formatCount(Math.floor(minutes / 60));
  return minutes % 60 === 0 ? localize("{0} h", hours) : localize("{0} h {1} min", hours, minutes % 60);
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
