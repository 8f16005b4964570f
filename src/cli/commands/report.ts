import { resolve } from "node:path";
import { usage } from "../options/arguments.ts";
import { pricesAt, PRICES_HELP } from "../options/named-files.ts";
import { DIR_HELP, openFolder, rootsOf } from "../options/read-options.ts";
import { EXIT, type Command, type Arguments } from "../command.ts";
import { overviewText, overviewJson } from "../report/overview.ts";
import { tell, type Terminal } from "../terminal.ts";
import { visibleJson } from "../../core/view/visible.ts";
import { DAYS_KEPT } from "../../storage/overview/day-files.ts";
import { readOverview } from "../../storage/overview/read-overview.ts";

const DEFAULT_DAYS = 30;

/** Sums up the runs on this machine: calls, money, and time saved and spent, and the cost of recording again. */
export const report: Command = {
  name: "report",
  summary: "Show what runs on this machine replayed, saved, and spent, and what recording again would cost.",
  synopsis: "report [--dir D] [--days N] [--prices FILE] [--json]",
  options: [
    DIR_HELP,
    ["--days N", `the days up to today, at most ${DAYS_KEPT} (default ${DEFAULT_DAYS})`],
    PRICES_HELP,
    ["--json", "all of it as JSON; costUsd is an estimate, ms are milliseconds"],
  ],
  async execute(args, terminal) {
    const days = readDaysOption(args);
    const { deck, dir } = await openFolder(args, terminal);
    const prices = await ownPrices(args, terminal);
    const { overview, notices } = await readOverview({
      dir,
      store: deck.store,
      providers: deck.providers,
      roots: rootsOf(dir, terminal),
      prices,
      days,
      now: terminal.now(),
    });
    await deck.close();
    for (const notice of notices) tell(terminal, "warning", notice);
    terminal.out(args.has("json") ? `${visibleJson(overviewJson(overview), 2)}\n` : overviewText(overview));
    return EXIT.ok;
  },
};

function readDaysOption(args: Arguments): number {
  const text = args.value("days");
  if (text === undefined) return DEFAULT_DAYS;
  const days = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (days >= 1 && days <= DAYS_KEPT) return days;
  throw usage("report", `--days ${text} is not a number of days from 1 to ${DAYS_KEPT}.`);
}

async function ownPrices(args: Arguments, { cwd }: Terminal): ReturnType<typeof pricesAt> {
  const file = args.value("prices");
  return file === undefined ? {} : pricesAt(resolve(cwd, file), cwd);
}
