import { basename, relative, sep } from "node:path";
import { proxyVariable } from "../../hooks/no-proxy.ts";
import { readArguments, usage, type Arguments } from "../options/arguments.ts";
import { childEnvironment } from "../child-environment.ts";
import { runChild } from "../child.ts";
import { EXIT, type Command } from "../command.ts";
import { isDocument, REPORT_HELP, wantedReports, writeReports } from "../report/reports.ts";
import { runEventOf, type RunEvent, reportOf, type RunReport } from "../report/run-report.ts";
import { reportText } from "../report/run-report-text.ts";
import { readServeOptions, SERVE_OPTION_HELP, SERVE_RULES } from "../options/serve-options.ts";
import { startServing } from "../serving.ts";
import { tell, type Terminal } from "../terminal.ts";
import { explain, isTapedeckError } from "../../core/errors.ts";
import { acceptCandidates, addCandidates, candidateFromCall } from "../../storage/local/candidates.ts";
import { plural } from "../../core/plural.ts";

/** Serves while a command runs, then reports. */
export const run: Command = {
  name: "run",
  summary: "Serve, run COMMAND with its environment pointed here, then report.",
  synopsis: "run [options] -- COMMAND",
  options: [
    ...SERVE_OPTION_HELP,
    ["--require-calls", "exit with 4 where no call reached the server"],
    ["--update", "accept the new recordings that the run made or replayed, where the command succeeds"],
    REPORT_HELP,
    ["--json", "the same as --report json: one line"],
  ],
  async execute(argv, terminal) {
    const { args, command } = splitCommand(argv);
    const options = readServeOptions(args, terminal);
    const reports = wantedReports(args, options.logsJson);
    const requiresCalls = args.has("require-calls");
    const serving = await startServing(options, terminal);
    const events: RunEvent[] = [];
    serving.deck.engine.onCall((event) => events.push(runEventOf(event)));
    let commandCode = EXIT.failed as number;
    try {
      const env = childEnvironment(serving, options.mode, terminal, command);
      commandCode = await runChild(command, {
        env,
        output: reports.some(isDocument) ? "err" : "out",
        terminal,
      });
    } finally {
      await serving.stop(commandCode);
    }
    const report = reportOf(options.mode, serving.admission.requests, events);
    const exit = exitCode(report, commandCode, requiresCalls);
    const recordCommand = commandToRecord(args, command, terminal);
    const proxy = proxyVariable(terminal.env);
    terminal.err(reportText(report, { colour: terminal.colour.err, recordCommand, ...(proxy && { proxy }) }));
    const keeping = { dir: options.dir, asked: args.has("update"), hasFailed: commandCode !== 0 };
    const kept = await keepCandidates(events, keeping);
    if (kept !== undefined) terminal.err(`${kept}\n`);
    const codes = { command: commandCode, exit };
    const { roots } = serving;
    const failures = writeReports(
      reports,
      { report, codes, requiresCalls, roots, dir: options.dir },
      terminal,
    );
    for (const { message, hint } of failures) tell(terminal, "error", `${message} ${hint}`);
    return failures.length > 0 && exit === EXIT.ok ? EXIT.failed : exit;
  },
};

const RULES = {
  ...SERVE_RULES,
  "require-calls": "flag",
  update: "flag",
  report: "value",
  json: "flag",
} as const;

function splitCommand(argv: readonly string[]): {
  readonly args: Arguments;
  readonly command: readonly string[];
} {
  const at = argv.indexOf("--");
  const own = at < 0 ? argv : argv.slice(0, at);
  const command = at < 0 ? [] : argv.slice(at + 1);
  const args = readArguments("run", own, RULES);
  const [stray] = args.positionals;
  if (stray !== undefined)
    throw usage("run", `"${stray}" stands before --; the command to run comes after it.`);
  if (command.length === 0 || command[0] === "")
    throw usage("run", "There is no command to run; it comes after --.");
  return { args, command };
}

function exitCode(
  { mode, counts, requests, failing }: RunReport,
  commandCode: number,
  requiresCalls: boolean,
): number {
  if (commandCode !== 0) return commandCode;
  if (failing.length > 0) return EXIT.failed;
  if (mode === "strict" && counts.miss > 0) return EXIT.missed;
  return requiresCalls && requests === 0 ? EXIT.noCalls : EXIT.ok;
}

/** The same command line in record mode, ready to be pasted. */
function commandToRecord(args: Arguments, command: readonly string[], terminal: Terminal): string {
  const dir = args.value("dir");
  const kept = [
    ...(dir === undefined ? [] : ["--dir", dir]),
    ...args.values("upstream").flatMap((upstream) => ["--upstream", upstream]),
  ];
  const words = [...kept, "--", ...command].map(quote);
  return [programName(terminal), "run", "--mode", "record", ...words].join(" ");
}

/** How this program was started: from a checkout by its file, else from the package. */
function programName(terminal: Terminal): string {
  const path = terminal.program;
  const isCheckout = basename(path) === "cli.js" && !path.split(sep).includes("node_modules");
  return isCheckout ? `node ${quote(relative(terminal.cwd, path))}` : "npx tapedeck";
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/**
 * Remembers the recordings that a run made as new, which the editor shows until somebody accepts them. With --update,
 * those that it made or replayed are new no more; what a command that failed had recorded may be wrong, and stays new.
 * Gives what to say of it, if anything.
 */
async function keepCandidates(
  events: readonly RunEvent[],
  { dir, asked, hasFailed }: { readonly dir: string; readonly asked: boolean; readonly hasFailed: boolean },
): Promise<string | undefined> {
  const made = new Map(
    events.flatMap((event) => candidateFromCall(event) ?? []).map((one) => [one.entry, one]),
  );
  const used = new Set(events.flatMap(({ entry }) => entry ?? []));
  if (used.size === 0) return undefined;
  try {
    const known = await addCandidates(dir, [...made.values()]);
    if (asked && !hasFailed) {
      const wanted = known.map(({ entry }) => entry).filter((entry) => used.has(entry));
      const accepted = wanted.length === 0 ? [] : await acceptCandidates(dir, wanted);
      return accepted.length === 0 ? undefined : `${plural(accepted.length, "new recording")} accepted.`;
    }
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return explain(error);
  }
  if (made.size === 0) return undefined;
  const recordings = plural(made.size, "new recording");
  if (asked) return `${recordings} not accepted, because the command failed.`;
  return `${recordings}. Review and commit them; --update accepts them at once.`;
}
