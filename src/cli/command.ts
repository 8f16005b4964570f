import { countColumns, padColumns } from "../core/base/columns.ts";
import { localize } from "../core/base/localize.ts";
import type { Terminal } from "./terminal.ts";

/** The exit codes that scripts rely on. */
export const EXIT = { ok: 0, failed: 1, usage: 2, missed: 3, noCalls: 4 } as const;

/** A parsed command line. */
export interface Arguments {
  readonly command: string;
  has(flag: string): boolean;
  /** The last value given. */
  value(option: string): string | undefined;
  /** All values given, in order. */
  values(option: string): readonly string[];
  readonly positionals: readonly string[];
  /** The arguments after `--`, which are the command to run. */
  readonly behind: readonly string[];
  /** The arguments before `--`, as given. */
  readonly before: readonly string[];
}

export interface Command {
  readonly name: string;
  /** One line for the table of commands. */
  readonly summary: string;
  /** Usage without the program's name, e.g. "show ENTRY [--dir D]". */
  readonly synopsis: string;
  /** The options and arguments that the help lists, each with one line of description. */
  readonly options: readonly (readonly [option: string, meaning: string])[];
  /** Options that the command accepts but the help omits. */
  readonly unlisted?: Command["options"];
  /** The kind of arguments that the command accepts in addition to options; absent if it accepts none. */
  readonly takes?: "names" | "command";
  /**
   * Runs the command and resolves to the exit code.
   * @throws TapedeckError `tapedeck_usage` for wrong usage (exit code 2), any other code for a failure (exit code 1).
   */
  execute(args: Arguments, terminal: Terminal): Promise<number>;
}

/** Commands under one name: `tapedeck team pull`. Each action's name includes the group's. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly actions: readonly Command[];
}

export function formatGroupHelp({ name, summary, actions }: CommandGroup): string {
  const rows = formatColumns(actions.map(({ synopsis, summary: action }) => [synopsis, action]));
  return [
    localize("Usage: tapedeck {0} ACTION [options]", name),
    "",
    summary,
    "",
    ...rows,
    "",
    localize("tapedeck {0} ACTION --help lists the options of an action.", name),
    "",
  ].join("\n");
}

export function formatHelp(command: Command): string {
  const options = [...command.options, ["--help", localize("show this help")] as const];
  return [
    localize("Usage: tapedeck {0}", command.synopsis),
    "",
    command.summary,
    "",
    localize("Options:"),
    ...formatColumns(options),
    "",
  ].join("\n");
}

/** Two columns, the first one as wide as its longest cell. */
export function formatColumns(rows: readonly (readonly [left: string, right: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => countColumns(left)));
  return rows.map(([left, right]) => `  ${padColumns(left, width)}  ${right}`);
}
