import { dollars, spendingText } from "../../call/spending.ts";
import { sizeOf, countText, plural } from "../../base/plural.ts";
import { testTitle } from "../../call/test-names.ts";
import {
  createDocumentWriter,
  type DocumentWriter,
  type LinkTarget,
  type RenderedDocument,
  type Span,
} from "../rendered-document.ts";
import { visibleLine } from "../../base/visible.ts";
import {
  callsIn,
  savedMs,
  sentIn,
  type CallSums,
  type DayRow,
  type Overview,
  type RecordingSums,
} from "./overview.ts";

export interface OverviewDocumentOptions {
  /** When a run began, for a person: date and time of this machine. */
  readonly timeOf: (at: number) => string;
}

const SHOWN_PARTS = 12;
const SHOWN_RUNS = 20;

/** The overview as a document: numbers first, each with what it is based on. Names lead to their calls, and runs to their timelines. */
export function renderOverview(overview: Overview, { timeOf }: OverviewDocumentOptions): RenderedDocument {
  const { days, models, tests, latest, recordings } = overview;
  const writer = createDocumentWriter();
  writePeriod(writer, overview);
  writeDays(writer, days);
  writeTable(writer, "by model", {
    head: ["replayed", "sent", "missing", "saved", "spent", "recordings", "to record again"],
    rows: models.slice(0, SHOWN_PARTS).map(({ provider, model, sums, again }) => ({
      name: [provider, model].filter(Boolean).join(" "),
      target: { kind: "calls", provider, ...(model !== undefined && { model }) },
      cells: [
        ...[sums.outcomes.replayed, sentIn(sums), sums.outcomes.miss].map(countText),
        moneyText(sums.saved.costUsd, sums.saved.unpricedCalls),
        moneyText(sums.paid.costUsd, sums.paid.unpricedCalls),
        countText(again.recordings),
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
          name: `${test.file} ${testTitle(test)}`.trim(),
          target: { kind: "calls", test: test.name.at(-1) ?? test.file },
          cells: [text(of(again))],
        })),
    });
  writeTests("most expensive tests to re-record", ({ costUsd }) => costUsd, dollars);
  writeTests("slowest tests to record again", ({ ms }) => ms, durationText);
  writeRecordings(writer, recordings);
  writeTable(writer, "runs", {
    rows: latest.slice(0, SHOWN_RUNS).map(({ id, at, ms, mode, sums }) => ({
      name: timeOf(at),
      target: { kind: "run", id },
      cells: [mode, durationText(ms), outcomesText(sums)],
    })),
  });
  return writer.finish();
}

function writePeriod(writer: DocumentWriter, { days, runs, sums }: Overview): void {
  const period = days.length === 1 ? "Today" : `Last ${days.length} days`;
  if (callsIn(sums) === 0) return writer.line(`${period}: no run was noted on this machine.`);
  writer.line(`${period}, ${plural(runs, "run")}: ${outcomesText(sums)}`);
  const { outcomes, saved, paid, timed } = sums;
  if (outcomes.replayed > 0) {
    const priced = ofAll(saved.calls - saved.unpricedCalls, outcomes.replayed, "replayed call");
    writer.line(
      `    Saved ${moneyText(saved.costUsd, saved.unpricedCalls)}: what ${priced} cost when recorded, by list prices.`,
    );
    const time = timed === 0 ? "unknown time" : `about ${durationText(savedMs(sums))}`;
    const basis = `how long ${ofAll(timed, outcomes.replayed, "replayed call")} took when recorded`;
    writer.line(`    Saved ${time}: ${basis}, less what replaying took.`);
  }
  if (sentIn(sums) > 0) writer.line(`    Spent: ${spendingText(paid)}.`);
}

const BAR = 24;

/** Days with runs, newest first, with a bar of their calls: replayed solid, others shaded. */
function writeDays(writer: DocumentWriter, days: readonly DayRow[]): void {
  const most = Math.max(1, ...days.map(({ sums }) => callsIn(sums)));
  const widthOf = (calls: number): number => Math.ceil((BAR * calls) / most);
  writeTable(writer, "day by day", {
    rows: days
      .filter(({ runs }) => runs > 0)
      .reverse()
      .map(({ day, runs, sums }) => {
        const { replayed } = sums.outcomes;
        const whole = widthOf(callsIn(sums));
        const solid = Math.min(whole, widthOf(replayed));
        return {
          name: day,
          cells: [
            plural(runs, "run"),
            ...(sums.saved.costUsd > 0 ? [`saved ${dollars(sums.saved.costUsd)}`] : [""]),
            ...(sums.paid.costUsd > 0 ? [`spent ${dollars(sums.paid.costUsd)}`] : [""]),
            `${"█".repeat(solid)}${"░".repeat(whole - solid)} ${outcomesText(sums)}`,
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
  writer.section("recordings");
  if (again.recordings === 0) return writer.line("Nothing is recorded.");
  const { recordings, bytes, costUsd, unpriced, ms, timed } = again;
  const link = (text: string, state?: "stale" | "broken"): Span => ({
    text,
    target: { kind: "calls", ...(state && { state }) },
  });
  writer.line(link(plural(recordings, "recording")), `, ${sizeOf(bytes)} on disk`);
  const time = timed === 0 ? "time unknown" : `about ${durationText(ms)}`;
  writer.line(`To record everything again: ${moneyText(costUsd, unpriced)}, ${time}`);
  const unknown = unpriced === 0 ? "" : `; ${countText(unpriced)} of unknown price`;
  writer.line(`    Money: what ${plural(recordings, "recording")} cost before, by list prices${unknown}.`);
  if (timed > 0)
    writer.line(
      `    Time: how long ${ofAll(timed, recordings, "recording")} took before, one after the other.`,
    );
  if (unreadable.length > 0)
    writer.line(
      "Unreadable: ",
      link(plural(unreadable.length, "recording"), "broken"),
      " (run tapedeck check to see why)",
    );
  if (unused === undefined) return writer.line("Unused: not known before a run of all tests without a miss.");
  if (unused.length === 0) return;
  const size = sizeOf(unused.reduce((sum, one) => sum + one.bytes, 0));
  writer.line(
    "Unused: ",
    link(plural(unused.length, "recording"), "stale"),
    `, ${size}, that the last whole runs did not use (tapedeck prune --dry-run)`,
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

/** Columns as wide as their widest cell; nothing without rows. */
function writeTable(writer: DocumentWriter, title: string, { head = [], rows }: Table): void {
  if (rows.length === 0) return;
  writer.line();
  writer.section(title);
  const names = rows.map(({ name }) => visibleLine(name));
  const nameWidth = Math.max(...names.map(({ length }) => length));
  const lines = [head, ...rows.map(({ cells }) => cells)];
  const widths = lines.reduce<number[]>(
    (known, cells) => cells.map(({ length }, index) => Math.max(length, known[index] ?? 0)),
    [],
  );
  const cellsText = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => (index === cells.length - 1 ? cell : cell.padEnd(widths[index] ?? 0)))
      .join("   ");
  if (head.length > 0) writer.line(`${"".padEnd(nameWidth)}   ${cellsText(head)}`);
  for (const [index, { target, cells }] of rows.entries()) {
    const name = names[index] ?? "";
    writer.line(
      target ? { text: name, target } : name,
      `${"".padEnd(nameWidth - name.length)}   ${cellsText(cells)}`,
    );
  }
}

const [SECOND, MINUTE, HOUR] = [1_000, 60_000, 3_600_000];

/** "0.4 s", "12 s", "3 min 20 s", "2 h 5 min": two digits that count. */
export function durationText(ms: number): string {
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < HOUR) return inTwoUnits(Math.round(ms / SECOND), "min", "s");
  return inTwoUnits(Math.round(ms / MINUTE), "h", "min");
}

function inTwoUnits(count: number, large: string, small: string): string {
  const rest = count % 60;
  return `${countText(Math.floor(count / 60))} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
}

/** "1,200 replayed · 20 sent · 4 missing"; zeros are left out, except of replays. */
export function outcomesText(sums: CallSums): string {
  const { replayed, defaulted, miss, refused } = sums.outcomes;
  const others = [
    [sentIn(sums), "sent"],
    [defaulted, "made up"],
    [miss, "missing"],
    [refused, "refused"],
  ] as const;
  const counted = others.filter(([count]) => count > 0).map(([count, what]) => `${countText(count)} ${what}`);
  return [`${countText(replayed)} replayed`, ...counted].join(" · ");
}

/** "about $1.20"; "nothing" if the calls were free; "unknown" if no price is known. */
function moneyText(costUsd: number, unpriced: number): string {
  if (costUsd > 0) return `about ${dollars(costUsd)}`;
  return unpriced > 0 ? "unknown" : "nothing";
}

/** "1,100 of 1,200 replayed calls", "all 3 recordings". */
function ofAll(known: number, all: number, noun: string): string {
  const things = plural(all, noun).replace(/^[\d,]+ /, "");
  if (known < all) return `${countText(known)} of ${countText(all)} ${things}`;
  return all === 1 ? `the one ${noun}` : `all ${countText(all)} ${things}`;
}
