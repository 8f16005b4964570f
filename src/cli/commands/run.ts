import { basename, relative, sep } from "node:path";
import { proxyVariable } from "../../hooks/no-proxy.ts";
import { readArguments, usage, type Arguments } from "../options/arguments.ts";
import { keepCandidates, keptText } from "./accept.ts";
import { childEnvironment } from "../child-environment.ts";
import { runChild } from "../child.ts";
import { EXIT, type Command } from "../command.ts";
import { isDocument, REPORT_HELP, wantedReports, writeReports } from "../report/reports.ts";
import { runEventOf, type RunEvent } from "../report/run-events.ts";
import { reportOf, type RunReport } from "../report/run-report.ts";
import { reportText } from "../report/run-report-text.ts";
import { readServeOptions, SERVE_OPTION_HELP, SERVE_RULES } from "../options/serve-options.ts";
import { startServing } from "../serving.ts";
import { paint, type Terminal } from "../terminal.ts";

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
    await keep(events, { dir: options.dir, asked: args.has("update"), commandCode, terminal });
    const codes = { command: commandCode, exit };
    const { roots } = serving;
    const failures = writeReports(
      reports,
      { report, codes, requiresCalls, roots, dir: options.dir },
      terminal,
    );
    for (const { message, hint } of failures)
      terminal.err(`${paint(terminal.colour.err, "red", "error:")} ${message} ${hint}\n`);
    return failures.length > 0 && exit === EXIT.ok ? EXIT.failed : exit;
  },
};

interface Keeping {
  readonly dir: string;
  readonly asked: boolean;
  readonly commandCode: number;
  readonly terminal: Terminal;
}

/** What a test that failed had recorded may be wrong: it is not accepted. */
async function keep(
  events: readonly RunEvent[],
  { dir, asked, commandCode, terminal }: Keeping,
): Promise<void> {
  const text = keptText(await keepCandidates(dir, events, asked && commandCode === 0), asked);
  if (text !== undefined) terminal.err(`${text}\n`);
}

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
  const words = [...kept, "--", ...command].map(quoted);
  return [programName(terminal), "run", "--mode", "record", ...words].join(" ");
}

/** How this program was started: from a checkout by its file, else from the package. */
function programName(terminal: Terminal): string {
  const path = terminal.program;
  const isCheckout = basename(path) === "cli.js" && !path.split(sep).includes("node_modules");
  return isCheckout ? `node ${quoted(relative(terminal.cwd, path))}` : "npx tapedeck";
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
