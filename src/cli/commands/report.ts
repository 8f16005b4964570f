import { localize } from "../../core/base/localize.ts";
import { createUsageError } from "../options/arguments.ts";
import { getPricesHelp, getDirHelp, openFolder } from "../options/read-options.ts";
import { EXIT, type Command, type Arguments } from "../command.ts";
import { sumSavedMs, type CallSums, type Overview } from "../../core/view/overview/overview.ts";
import { renderOverview } from "../../core/view/overview/overview-document.ts";
import { writeVisibleJson } from "../../core/base/visible.ts";
import { readOverview } from "../../deck/read-overview.ts";

const DEFAULT_DAYS = 30;
const MOST_DAYS = 90;

/** Sums up the runs on this machine: calls, money, and time saved and spent. */
export const report: Command = {
  name: "report",
  summary: localize("Show calls, savings, and costs of runs on this machine."),
  synopsis: "report [--dir D] [--days N] [--prices FILE] [--json]",
  options: [
    getDirHelp(),
    [
      "--days N",
      localize("the number of days up to today, at most {0} (default {1})", MOST_DAYS, DEFAULT_DAYS),
    ],
    getPricesHelp(),
    ["--json", localize("print JSON; costUsd is an estimate, ms are milliseconds")],
  ],
  async execute(args, terminal) {
    const days = readDaysOption(args);
    const { deck } = await openFolder(args, terminal);
    const overview = await readOverview(deck, { days, now: terminal.now() });
    await deck.close();
    const timeOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace("T", " ");
    terminal.out(
      args.has("json")
        ? `${writeVisibleJson(overviewJson(overview), 2)}\n`
        : renderOverview(overview, { timeOf }).text,
    );
    return EXIT.ok;
  },
};

function readDaysOption(args: Arguments): number {
  const text = args.value("days");
  if (text === undefined) return DEFAULT_DAYS;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= MOST_DAYS) return days;
  throw createUsageError(
    "report",
    localize("--days {0} is not a number of days from 1 to {1}.", text, MOST_DAYS),
  );
}

/**
 * Returns the overview as JSON. Costs are estimates in US dollars, times are in milliseconds; both come with the number
 * of calls for which they are known.
 */
function overviewJson({ days, runs, sums, latest, models }: Overview): unknown {
  return {
    from: days.at(0)?.day ?? null,
    to: days.at(-1)?.day ?? null,
    runs,
    ...sumsJson(sums),
    days: days.map((one) => ({ day: one.day, runs: one.runs, ...sumsJson(one.sums) })),
    latest: latest.map(({ id, at, ms, mode, sums: own }) => ({
      id,
      at: new Date(at).toISOString(),
      ms,
      mode,
      ...sumsJson(own),
    })),
    models: models.map((row) => ({
      provider: row.provider,
      model: row.model ?? null,
      ...sumsJson(row.sums),
    })),
  };
}

function sumsJson(sums: CallSums): object {
  const { outcomes, paid, saved, timed } = sums;
  return {
    calls: outcomes,
    spent: paid,
    saved: {
      costUsd: saved.costUsd,
      ms: sumSavedMs(sums),
      tokens: saved.inputTokens + saved.outputTokens,
      pricedCalls: saved.calls - saved.unpricedCalls,
      timedCalls: timed,
    },
  };
}
