import { wrongUsage } from "../../core/errors.ts";
import { plural } from "../../core/plural.ts";
import { listRuns, readRun } from "../../storage/runs/kept-runs.ts";
import { EXIT, type Command } from "../command.ts";
import { usage } from "../options/arguments.ts";
import { readDir } from "../options/dir.ts";
import { DIR_ONLY_HELP } from "../options/serve-options.ts";
import { htmlReport } from "../report/html.ts";
import { OUT_HELP, writeOutput } from "../options/named-files.ts";

/** The page that `run --report html` writes, of a run that is over. */
export const report: Command = {
  name: "report",
  summary:
    "Write the last run that this machine remembers as a page: what called what, when, and what it cost.",
  synopsis: "report --html [--out FILE] [--dir D]",
  options: [
    ["--html", "a page that needs nothing beside it; the one form there is"],
    OUT_HELP,
    DIR_ONLY_HELP,
  ],
  async execute(args, terminal) {
    if (!args.has("html")) throw usage("report", "report needs its form: --html.");
    const { dir, shownDir } = readDir(args, terminal);
    const [newest] = await listRuns(dir);
    const run = newest && (await readRun(dir, newest.id));
    if (run === undefined)
      throw wrongUsage(
        `No run of ${shownDir} is remembered on this machine.`,
        "Run the tests: tapedeck run -- COMMAND. CI remembers none: have run --report html=FILE write it there.",
      );
    await writeOutput(htmlReport(run), args.value("out"), terminal);
    terminal.err(
      `${plural(run.calls.length, "call")} of the run at ${new Date(run.startedAt).toISOString()}\n`,
    );
    return EXIT.ok;
  },
};
