import { isTapedeckError } from "../core/errors.ts";
import { check } from "./commands/check.ts";
import { columns, EXIT, helpOf, type Command, version } from "./command.ts";
import { doctor } from "./commands/doctor.ts";
import { gitSetup } from "./commands/git-setup.ts";
import { diff } from "./commands/diff.ts";
import { du } from "./commands/du.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { list } from "./commands/list.ts";
import { pull } from "./commands/pull.ts";
import { push } from "./commands/push.ts";
import { prune } from "./commands/prune.ts";
import { record } from "./commands/record.ts";
import { remote } from "./commands/remote.ts";
import { report } from "./commands/report.ts";
import { resolve } from "./commands/resolve.ts";
import { run } from "./commands/run.ts";
import { serve } from "./commands/serve.ts";
import { show } from "./commands/show.ts";
import { stats } from "./commands/stats.ts";
import { readArguments } from "./options/arguments.ts";
import { tell, type Terminal } from "./terminal.ts";

const COMMANDS: readonly Command[] = [
  serve,
  run,
  list,
  show,
  check,
  importCommand,
  exportCommand,
  prune,
  diff,
  du,
  stats,
  report,
  gitSetup,
  resolve,
  record,
  pull,
  push,
  remote,
  doctor,
];

/**
 * Runs a command line, without the program's name, and resolves to its exit code. All that it uses of the process is in
 * `terminal`. @throws never.
 */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined) return printError(terminal, "There is no command.", "See: tapedeck --help");
  if (name === "--version" || name === "-v") return print(terminal, `${version()}\n`);
  if (name === "--help" || name === "-h" || name === "help") return print(terminal, help());
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) return reportUnknown(terminal, name);
  const end = rest.indexOf("--");
  const own = end < 0 ? rest : rest.slice(0, end);
  if (own.includes("--help") || own.includes("-h")) return print(terminal, helpOf(command));
  try {
    return await command.execute(readArguments(command, rest), terminal);
  } catch (error) {
    return reportFailure(terminal, error);
  }
}

function print(terminal: Terminal, text: string): number {
  terminal.out(text);
  return EXIT.ok;
}

function help(): string {
  return [
    "Usage: tapedeck COMMAND [options]",
    "",
    "Records the LLM calls of tests and programs, and replays them: free, offline, the same every time.",
    "",
    ...columns(COMMANDS.map(({ synopsis, summary }) => [synopsis, summary])),
    "",
    "tapedeck COMMAND --help tells what a command takes; tapedeck --version which version this is.",
    "Exit codes: 0 as asked; 1 failed, check found something, or a secret was to be recorded; 2 wrong usage;",
    "3 run in strict mode saw misses, or calls that passed by; 4 run --require-calls saw no call.",
    "",
  ].join("\n");
}

function reportUnknown(terminal: Terminal, name: string): number {
  const known = `The commands are ${COMMANDS.map((command) => command.name).join(", ")}.`;
  return printError(terminal, `There is no command "${name}".`, known);
}

function printError(terminal: Terminal, what: string, how: string): number {
  tell(terminal, "error", `${what}\n${how}`);
  return EXIT.usage;
}

/** What went wrong on one line, what to do about it on the next. A bug shows where it happened. */
function reportFailure(terminal: Terminal, error: unknown): number {
  if (isTapedeckError(error)) {
    printError(terminal, error.message, error.hint);
    return error.code === "tapedeck_usage" ? EXIT.usage : EXIT.failed;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(terminal, `This is a fault in Tapedeck. ${text}`, "Please report it with these lines.");
  return EXIT.failed;
}
