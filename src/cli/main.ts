import { suggestName } from "../core/base/near-name.ts";
import { isTapedeckError, createWrongUsage } from "../core/base/errors.ts";
import { localize, setTranslations, type Translations, setProgramName } from "../core/base/localize.ts";
import {
  formatColumns,
  EXIT,
  formatGroupHelp,
  formatHelp,
  type Command,
  type CommandGroup,
} from "./command.ts";
import { readArguments } from "./options/arguments.ts";
import { findProgramName } from "./program-name.ts";
import { flush, createProcessTerminal, printMessage, type Terminal } from "./terminal.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";

type AnyCommand = Command | CommandGroup;

/** Runs the command line of this process, and ends the process with its exit code. */
export async function runProgram(argv: readonly string[]): Promise<void> {
  endWithNpx(process.env["npm_lifecycle_script"]);
  const code = await main(argv, createProcessTerminal());
  await flush();
  // Open watchers and idle connections are not needed after this.
  process.exit(code);
}

/**
 * Ends this process when the shell in which npx started it ends. npx passes a signal to that shell only, and most shells
 * do not pass it on. `script`: what npm started in the shell.
 */
function endWithNpx(script: string | undefined): void {
  if (!/^'?tapedeck'?$/.test(script ?? "")) return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, LOOK_MS).unref();
}

const LOOK_MS = 250;

/** All commands, in the order of the help. Each is loaded when it runs, to keep startup fast. */
export const COMMANDS: Readonly<Record<string, () => Promise<AnyCommand>>> = {
  serve: async () => (await import("./commands/serve.ts")).serve,
  run: async () => (await import("./commands/run.ts")).run,
  list: async () => (await import("./commands/list.ts")).list,
  show: async () => (await import("./commands/show.ts")).show,
  check: async () => (await import("./commands/check.ts")).check,
  import: async () => (await import("./commands/import.ts")).importCommand,
  export: async () => (await import("./commands/export.ts")).exportCommand,
  prune: async () => (await import("./commands/prune.ts")).prune,
  diff: async () => (await import("./commands/diff.ts")).diff,
  team: async () => (await import("./commands/team.ts")).team,
  git: async () => (await import("./commands/git.ts")).git,
  agent: async () => (await import("./commands/agent.ts")).agent,
  mcp: async () => (await import("./commands/agent.ts")).mcp,
  doctor: async () => (await import("./commands/doctor.ts")).doctor,
};

/**
 * Runs a command line, without the program's name, and resolves to its exit code. It uses the process only through
 * `terminal`. Never throws.
 */
export async function main(argv: readonly string[], terminal: Terminal): Promise<number> {
  setProgramName(findProgramName(terminal));
  try {
    return await runCommand(chooseLanguage(argv, terminal.env), terminal);
  } catch (error) {
    return reportFailure(terminal, error);
  }
}

async function runCommand(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [name, ...rest] = argv;
  if (name === undefined)
    return printError(terminal, localize("There is no command."), localize("See: {0}", "tapedeck --help"));
  if (name === "--help" || name === "-h" || name === "help") return print(terminal, await help());
  const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.() : undefined;
  if (command === undefined) return reportUnknown(terminal, name);
  return "actions" in command ? executeAction(command, rest, terminal) : execute(command, rest, terminal);
}

async function executeAction(
  group: CommandGroup,
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const [name = "", ...rest] = argv;
  if (name === "--help" || name === "-h" || name === "help") return print(terminal, formatGroupHelp(group));
  const action = group.actions.find((known) => known.name === `${group.name} ${name}`);
  if (action !== undefined) return execute(action, rest, terminal);
  const known = group.actions.map((one) => one.name.slice(group.name.length + 1)).join(", ");
  const what =
    name === ""
      ? localize("{0} needs an action: {1}.", group.name, known)
      : localize('{0} has no action "{1}": {2}.', group.name, name, known);
  return printError(terminal, what, localize("See: {0}", `tapedeck ${group.name} --help`));
}

async function execute(command: Command, rest: readonly string[], terminal: Terminal): Promise<number> {
  const end = rest.indexOf("--");
  const own = end < 0 ? rest : rest.slice(0, end);
  if (own.includes("--help") || own.includes("-h")) return print(terminal, formatHelp(command));
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

async function help(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return [
    localize("Usage: tapedeck COMMAND [options]"),
    "",
    localize(
      "Records the LLM calls of tests and programs, and replays them: free, offline, the same every time.",
    ),
    "",
    localize("Commands:"),
    ...formatColumns(commands.map(({ name, summary }) => [name, summary])),
    "",
    localize("tapedeck COMMAND --help lists the options of a command."),
    localize("tapedeck --version prints the version. --lang en|zh-cn sets the language."),
    "",
    localize("Exit codes:"),
    ...formatColumns([
      ["0", localize("success")],
      [
        "1",
        localize("failure: check found a problem, or a recording could not be written or contains a secret"),
      ],
      ["2", localize("wrong usage")],
      ["3", localize("run in strict mode: calls missed, or bypassed Tapedeck")],
      ["4", localize("run --require-calls: no call was made")],
    ]),
    "",
  ].join("\n");
}

function reportUnknown(terminal: Terminal, name: string): number {
  const known = Object.keys(COMMANDS);
  const how = suggestName(name, known) ?? localize("The commands are {0}.", known.join(", "));
  return printError(terminal, localize('There is no command "{0}".', name), how);
}

function printError(terminal: Terminal, what: string, how: string): number {
  printMessage(terminal, "error", `${what}\n${how}`);
  return EXIT.usage;
}

/** Prints the problem and, on the next line, what to do about it. An unexpected error includes its stack. */
function reportFailure(terminal: Terminal, error: unknown): number {
  if (isTapedeckError(error)) {
    printError(terminal, error.message, error.hint);
    return error.code === "tapedeck_usage" ? EXIT.usage : EXIT.failed;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  printError(
    terminal,
    localize("This is a bug in Tapedeck. {0}", text),
    localize("Please report it with these lines."),
  );
  return EXIT.failed;
}

/** Languages of the command line: what `--lang` takes, and the file of its translations. English has none. */
const LANGUAGES: Readonly<Record<string, string | undefined>> = { en: undefined, "zh-cn": "zh-cn" };

/** Options that write what programs read. Such output is never translated, so the whole process speaks English. */
const FOR_PROGRAMS = /^--(?:json|sarif)$|^--(?:log|format)=json$|^--report=(?:json|junit)(?:=|$)/;

/** Whether a command writes JSON or the like. `--log json` counts like `--log=json`. */
const writesForPrograms = (argv: readonly string[]): boolean =>
  argv.some(
    (argument, index) =>
      FOR_PROGRAMS.test(argument) || FOR_PROGRAMS.test(`${argument}=${argv[index + 1] ?? ""}`),
  );

/**
 * Chooses the language of this process: `--lang`, then the locale of the environment, then English. Returns the arguments
 * without `--lang`. @throws TapedeckError `tapedeck_usage` for a language that has no translation
 */
function chooseLanguage(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const at = argv.findIndex((argument, index) => index < end && /^--lang(?:=|$)/.test(argument));
  const isInline = at >= 0 && argv[at] !== "--lang";
  const given = at < 0 ? undefined : isInline ? argv[at]?.slice("--lang=".length) : argv[at + 1];
  const language = at < 0 ? languageOfLocale(env) : knownLanguage(given ?? "");
  const speaksEnglish = writesForPrograms(argv.slice(0, end));
  setTranslations(speaksEnglish ? undefined : readTranslations(language));
  return at < 0 ? argv : [...argv.slice(0, at), ...argv.slice(at + (isInline ? 1 : 2))];
}

function knownLanguage(name: string): string {
  const language = name.toLowerCase().replace("_", "-");
  if (Object.hasOwn(LANGUAGES, language)) return language;
  throw createWrongUsage(
    localize('The language "{0}" is not available.', name),
    localize("Use --lang with one of: {0}.", Object.keys(LANGUAGES).join(", ")),
  );
}

/** Simplified Chinese for the locales that read it, such as zh_CN.UTF-8 and zh-Hans. The first variable that is set counts. */
function languageOfLocale({
  LC_ALL,
  LC_MESSAGES,
  LANG,
}: Readonly<Record<string, string | undefined>>): string {
  const locale = LC_ALL || LC_MESSAGES || LANG || "";
  return /^zh(?:[-_](?:CN|SG|Hans)\b|[.@]|$)/i.test(locale) ? "zh-cn" : "en";
}

function readTranslations(language: string): Translations | undefined {
  const name = LANGUAGES[language];
  if (name === undefined) return undefined;
  // Two folders up, both from dist/cli/ and from src/cli/.
  const file = join(import.meta.dirname, "..", "..", "l10n", `bundle.l10n.${name}.json`);
  return JSON.parse(readFileSync(file, "utf8")) as Translations;
}
