import { columnsOf, padColumns } from "../core/base/columns.ts";
import { localize, joinList } from "../core/base/localize.ts";
import type { Terminal } from "./terminal.ts";

/** The exit codes that scripts rely on. */
export const EXIT = { ok: 0, failed: 1, usage: 2, missed: 3, noCalls: 4 } as const;

/** A command line as it was understood. */
export interface Arguments {
  readonly command: string;
  has(flag: string): boolean;
  /** The last value given. */
  value(option: string): string | undefined;
  /** All values given, in order. */
  values(option: string): readonly string[];
  readonly positionals: readonly string[];
  /** Of who takes a command, that command; and what stands before it, as it was given. */
  readonly behind: readonly string[];
  readonly before: readonly string[];
}

export interface Command {
  readonly name: string;
  /** One line for the table of commands. */
  readonly summary: string;
  /** What follows the program's name, e.g. "show ENTRY [--dir D]". */
  readonly synopsis: string;
  /** What the command takes, one line each: the option and what it does. */
  readonly options: readonly (readonly [option: string, meaning: string])[];
  /** Options that it takes as well. */
  readonly unlisted?: Command["options"];
  /** What it takes besides options, and without this nothing. */
  readonly takes?: "names" | "command";
  /**
   * Does it and resolves to the exit code.
   * @throws TapedeckError `tapedeck_usage` for wrong usage (exit code 2), any other one where it failed (exit code 1).
   */
  execute(args: Arguments, terminal: Terminal): Promise<number>;
}

/** Commands under one name: `tapedeck team pull`. Each action's name includes the group's. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly actions: readonly Command[];
}

export function groupHelp({ name, summary, actions }: CommandGroup): string {
  const rows = columns(actions.map(({ synopsis, summary: action }) => [synopsis, action]));
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

export function helpOf(command: Command): string {
  const options = [...command.options, ["--help", localize("show this help")] as const];
  return [
    localize("Usage: tapedeck {0}", command.synopsis),
    "",
    command.summary,
    "",
    localize("Options:"),
    ...columns(options),
    "",
  ].join("\n");
}

/** Two columns, the first one as wide as its longest cell. */
export function columns(rows: readonly (readonly [left: string, right: string])[]): readonly string[] {
  const width = Math.max(...rows.map(([left]) => columnsOf(left)));
  return rows.map(([left, right]) => `  ${padColumns(left, width)}  ${right}`);
}

/** The first of many names in a sentence, and how many more there are. */
export function namesText(names: readonly string[], most: number): string {
  const shown = joinList(names.slice(0, most));
  return names.length > most ? localize("{0} and {1} more", shown, names.length - most) : shown;
}
