import { isTapedeckError } from "../core/base/errors.ts";
import { check } from "./commands/check.ts";
import { columns, EXIT, groupHelp, helpOf, type Command, type CommandGroup, version } from "./command.ts";
import { doctor } from "./commands/doctor.ts";
import { git } from "./commands/git.ts";
import { diff } from "./commands/diff.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { list } from "./commands/list.ts";
import { prune } from "./commands/prune.ts";
import { team } from "./commands/team.ts";
import { report } from "./commands/report.ts";
import { run } from "./commands/run.ts";
import { serve } from "./commands/serve.ts";
import { show } from "./commands/show.ts";
import { readArguments } from "./options/arguments.ts";
import { tell, type Terminal } from "./terminal.ts";

/** All commands, in the order of the help. */
export const COMMANDS: readonly (Command | CommandGroup)[] = [
  serve,
  run,
  list,
  show,
  check,
  importCommand,
  exportCommand,
  prune,
  diff,
  report,
  team,
  git,
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
  return "actions" in command ? executeAction(command, rest, terminal) : execute(command, rest, terminal);
}

async function executeAction(
  group: CommandGroup,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const [name = "", ...rest] = argv;
  if (name === "--help" || name === "-h" || name === "help") return print(terminal, groupHelp(group));
  const action = group.actions.find((known) => known.name === `${group.name} ${name}`);
  if (action !== undefined) return execute(action, rest, terminal);
  const known = group.actions.map((one) => one.name.slice(group.name.length + 1)).join(", ");
  const what = name === "" ? `${group.name} needs an action` : `${group.name} has no action "${name}"`;
  return printError(terminal, `${what}: ${known}.`, `See: tapedeck ${group.name} --help`);
}

async function execute(command: Command, rest: readonly string[], terminal: Terminal): Promise<number> {
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
    ...columns(COMMANDS.map((command) => [synopsisOf(command), command.summary])),
    "",
    "tapedeck COMMAND --help lists the options of a command; tapedeck --version prints the version.",
    "Exit codes: 0 success; 1 failed, check found something, a recording could not be written, or one would have held",
    "a secret; 2 wrong usage;",
    "3 run in strict mode saw misses, or calls that bypassed Tapedeck; 4 run --require-calls saw no calls.",
    "",
  ].join("\n");
}

const synopsisOf = (command: Command | CommandGroup): string =>
  "actions" in command ? `${command.name} ACTION [options]` : command.synopsis;

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
