import { spendingText } from "../../core/budget/spending.ts";
import { sizeOf } from "../../core/match/differences/excerpt.ts";
import type { Overview, PartRow } from "../../core/overview/overview.ts";
import { callsIn, sentIn, savedMs, type Sums } from "../../core/overview/sums.ts";
import {
  againMoneyBasis,
  againTimeBasis,
  durationText,
  moneyText,
  outcomesText,
  savedMoney,
  savedMoneyBasis,
  savedTimeBasis,
  savedTimeText,
} from "../../core/overview/texts.ts";
import { plural } from "../../core/plural.ts";
import { testTitle } from "../../core/view/names.ts";
import { visibleLine } from "../../core/view/visible.ts";
import type { UsageTest } from "../../core/usage/usage.ts";
import { section } from "../command.ts";
import type { Again } from "../../core/overview/again.ts";

/** So many models and tests are shown to people. */
const SHOWN = 5;

/** The overview for people: numbers first, then on what they are based. */
export function overviewText(overview: Overview): string {
  const sections = [periodLines(overview), ...partSections(overview), recordingLines(overview)];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map((line) => `${line}\n`).join(""))
    .join("\n");
}

function periodLines({ days, runs, sums }: Overview): readonly string[] {
  const period = days.length === 1 ? "Today" : `Last ${days.length} days`;
  if (callsIn(sums) === 0) return [`${period}: no run was noted on this machine.`];
  const lines = [`${period}, ${plural(runs, "run")}: ${outcomesText(sums)}`];
  if (sums.outcomes.replayed > 0) {
    lines.push(`  Saved ${moneyText(savedMoney(sums))}: ${savedMoneyBasis(sums)}.`);
    lines.push(`  Saved ${savedTimeText(sums)}: ${savedTimeBasis(sums)}.`);
  }
  if (sentIn(sums) > 0) lines.push(`  Spent: ${spendingText(sums.paid)}.`);
  return lines;
}

function partSections({ providers, models, tests }: Overview): readonly (readonly string[])[] {
  const slowest = tests.toSorted((a, b) => b.again.ms - a.again.ms).filter(({ again }) => again.ms > 0);
  const dearest = tests.filter(({ again }) => again.costUsd > 0);
  return [
    part("By provider", providers, ({ provider }) => provider, partText),
    part("By model", models, ({ provider, model }) => `${provider} ${model ?? "(no model)"}`, partText),
    part("Most expensive tests to re-record", dearest.toSorted(byCost), testLabel, ({ again }) =>
      moneyText(again),
    ),
    part("Slowest tests to record again", slowest, testLabel, ({ again }) => durationText(again.ms)),
  ];
}

const byCost = (a: PartRow<object>, b: PartRow<object>): number => b.again.costUsd - a.again.costUsd;

const testLabel = ({ test }: { readonly test: UsageTest }): string =>
  `${test.file}  ${testTitle(test)}`.trim();

function partText({ sums, again }: PartRow<object>): string {
  return [
    plural(again.recordings, "recording"),
    ...(callsIn(sums) === 0 ? [] : [outcomesText(sums)]),
    ...(sums.saved.costUsd > 0 ? [`saved ${moneyText(savedMoney(sums))}`] : []),
    ...(again.costUsd > 0 ? [`again ${moneyText(again)}`] : []),
  ].join(" · ");
}

function part<T>(
  title: string,
  rows: readonly T[],
  name: (row: T) => string,
  text: (row: T) => string,
): readonly string[] {
  const table = rows.map((row) => [visibleLine(name(row)), text(row)] as const);
  return section(title, table, SHOWN);
}

function recordingLines({ recordings }: Overview): readonly string[] {
  const { again, unreadable, unused, blobs } = recordings;
  if (again.recordings === 0) return ["Nothing is recorded."];
  const size = sizeOf(again.bytes + blobs.bytes);
  const lines = [
    `To record everything again: ${moneyText(again)}, ${again.timed === 0 ? "time unknown" : `about ${durationText(again.ms)}`}`,
    `  Money: ${againMoneyBasis(again)}.`,
    ...(again.timed === 0 ? [] : [`  Time: ${againTimeBasis(again)}.`]),
    `On disk: ${plural(again.recordings, "recording")}, ${size}`,
  ];
  if (unreadable.length > 0)
    lines.push(`Unreadable: ${plural(unreadable.length, "recording")} (tapedeck check says why)`);
  if (unused !== undefined && unused.length > 0) {
    const bytes = sizeOf(unused.reduce((sum, one) => sum + one.bytes, 0));
    lines.push(
      `Unused: ${plural(unused.length, "recording")}, ${bytes}, that the last whole runs did not ask for (tapedeck prune --dry-run)`,
    );
  }
  if (unused === undefined) lines.push("Unused: not known before a run of all tests without a miss.");
  return lines;
}

/** The overview for programs. Costs are US dollars and estimates, times milliseconds; each says of how many it is known. */
export function overviewJson(overview: Overview): unknown {
  const { days, runs, sums, latest, providers, models, tests, recordings } = overview;
  const { again, unreadable, unused, blobs } = recordings;
  return {
    from: days.at(0)?.day ?? null,
    to: days.at(-1)?.day ?? null,
    runs,
    ...sumsJson(sums),
    days: days.map((day) => ({ day: day.day, runs: day.runs, ...sumsJson(day.sums) })),
    latest: latest.map(({ id, at, ms, mode, all }) => ({
      id,
      at: new Date(at).toISOString(),
      ms,
      mode,
      ...sumsJson(all),
    })),
    providers: providers.map((row) => ({ provider: row.provider, ...partJson(row) })),
    models: models.map((row) => ({ provider: row.provider, model: row.model ?? null, ...partJson(row) })),
    tests: tests.map((row) => ({ file: row.test.file, name: row.test.name, ...partJson(row) })),
    recordings: { again: againJson(again), unreadable, unused: unused ?? null, blobs },
  };
}

function partJson({ sums, again }: { readonly sums: Sums; readonly again: Again }): object {
  return { ...sumsJson(sums), again: againJson(again) };
}

function sumsJson(sums: Sums): object {
  const { outcomes, paid, paidMs, saved, timed } = sums;
  return {
    calls: outcomes,
    spent: { ...paid, ms: paidMs },
    saved: {
      costUsd: saved.costUsd,
      ms: savedMs(sums),
      tokens: saved.inputTokens + saved.outputTokens,
      pricedCalls: saved.calls - saved.unpricedCalls,
      timedCalls: timed,
    },
  };
}

function againJson({ recordings, bytes, costUsd, unpriced, ms, timed, ...tokens }: Again): object {
  return { recordings, bytes, costUsd, unpriced, ms, timed, ...tokens };
}
