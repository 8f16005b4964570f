import { parseArgs } from "node:util";
import { wrongUsage, type TapedeckError } from "../../core/errors.ts";

/** Which options a command knows, by their names without dashes. */
export type OptionRules = Readonly<Record<string, "value" | "flag">>;

/** A command line as it was understood. */
export interface Arguments {
  readonly command: string;
  has(flag: string): boolean;
  /** The last value given. */
  value(option: string): string | undefined;
  /** All values given, in order. */
  values(option: string): readonly string[];
  readonly positionals: readonly string[];
}

/** @throws TapedeckError `tapedeck_usage` for an unknown option, a missing value, or a value for a flag. */
export function readArguments(command: string, argv: readonly string[], rules: OptionRules): Arguments {
  const { tokens } = parseArgs({
    args: [...argv],
    options: Object.fromEntries(
      Object.entries(rules).map(([name, kind]) => [name, { type: kind === "flag" ? "boolean" : "string" }]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const kind = Object.hasOwn(rules, token.name) ? rules[token.name] : undefined;
    if (kind === undefined) throw unknownOption(command, token.rawName, rules);
    const value = kind === "flag" ? flagValue(command, token) : optionValue(command, token);
    given.set(token.name, [...(given.get(token.name) ?? []), value]);
  }
  return {
    command,
    has: (flag) => given.has(flag),
    value: (option) => given.get(option)?.at(-1),
    values: (option) => given.get(option) ?? [],
    positionals,
  };
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function flagValue(command: string, { rawName, value }: OptionToken): string {
  if (value === undefined) return "";
  throw usage(command, `The option ${rawName} takes no value.`);
}

function optionValue(command: string, { rawName, value, inlineValue }: OptionToken): string {
  const isOption = inlineValue !== true && value !== undefined && value.length > 1 && value.startsWith("-");
  if (value === undefined || value === "" || isOption)
    throw usage(command, `The option ${rawName} needs a value.`);
  return value;
}

function unknownOption(command: string, rawName: string, rules: OptionRules): TapedeckError {
  const known = Object.keys(rules).map((name) => `--${name}`);
  return wrongUsage(`There is no option "${rawName}" for ${command}.`, `Known are ${known.join(", ")}.`);
}

/** Wrong usage of a command, with the way to its help. */
export function usage(command: string, message: string): TapedeckError {
  return wrongUsage(message, `See: tapedeck ${command} --help`);
}

/** @throws TapedeckError `tapedeck_usage` where something stands that is no option. */
export function expectNoPositionals(args: Arguments): void {
  const [first] = args.positionals;
  if (first !== undefined) throw usage(args.command, `"${first}" is nothing that ${args.command} takes.`);
}
