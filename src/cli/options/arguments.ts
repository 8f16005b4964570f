import { localize } from "../../core/base/localize.ts";
import { suggestName } from "../../core/base/near-name.ts";
import { parseArgs } from "node:util";
import { createWrongUsage, type TapedeckError } from "../../core/base/errors.ts";
import type { Arguments, Command } from "../command.ts";
import { addTo } from "../../core/base/group-by.ts";

/** Arguments as the help lists them. `--port N` takes a value, `--json` takes none; without dashes it is no option. */
export type OptionHelp = Command["options"];

/** @throws TapedeckError `tapedeck_usage` for an unknown option, a missing value, or an unexpected argument. */
export function readArguments(
  { name: command, options, unlisted = [], takes }: Command,
  argv: readonly string[],
): Arguments {
  const end = takes === "command" && argv.includes("--") ? argv.indexOf("--") : argv.length;
  const before = argv.slice(0, end);
  const types = typesOf([...options, ...unlisted]);
  const { tokens } = parseArgs({
    args: before,
    options: Object.fromEntries([...types].map(([name, type]) => [name, { type }])),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const type = types.get(token.name);
    if (type === undefined) throw unknownOption(command, token.rawName, [...typesOf(options).keys()]);
    const valueOf = type === "boolean" ? flagValue : optionValue;
    addTo(given, token.name, valueOf(command, token));
  }
  const [first] = positionals;
  if (first !== undefined && takes === undefined)
    throw createUsageError(command, localize('{1} does not take "{0}".', first, command));
  return {
    command,
    has: (flag) => given.has(flag),
    value: (option) => given.get(option)?.at(-1),
    values: (option) => given.get(option) ?? [],
    positionals,
    before,
    behind: argv.slice(end + 1),
  };
}

function typesOf(help: OptionHelp): ReadonlyMap<string, "boolean" | "string"> {
  const options = help.flatMap(([option]) => (option.startsWith("--") ? [option.slice(2).split(" ")] : []));
  return new Map(options.map(([name = "", value]) => [name, value === undefined ? "boolean" : "string"]));
}

interface OptionToken {
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function flagValue(command: string, { rawName, value }: OptionToken): string {
  if (value === undefined) return "";
  throw createUsageError(command, localize("The option {0} takes no value.", rawName));
}

function optionValue(command: string, { rawName, value, inlineValue }: OptionToken): string {
  const isOption = inlineValue !== true && value !== undefined && value.length > 1 && value.startsWith("-");
  if (value === undefined || value === "" || isOption)
    throw createUsageError(command, localize("The option {0} needs a value.", rawName));
  return value;
}

function unknownOption(command: string, rawName: string, names: readonly string[]): TapedeckError {
  const known = names.map((name) => `--${name}`);
  return createWrongUsage(
    localize('There is no option "{0}" for {1}.', rawName, command),
    suggestName(rawName, known) ?? localize("The options are {0}.", known.join(", ")),
  );
}

export function createUsageError(command: string, message: string): TapedeckError {
  return createWrongUsage(message, localize("See: tapedeck {0} --help", command));
}

export const AGE_HELP = "--older-than AGE";

const UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};

/** The age of `--older-than` in milliseconds. @throws TapedeckError `tapedeck_usage` for an invalid age. */
export function readAge(args: Arguments): number | undefined {
  const text = args.value("older-than");
  if (text === undefined) return undefined;
  const [, count = "", unit = ""] = /^(\d{1,6})([hdwy])$/.exec(text) ?? [];
  const ms = UNITS[unit];
  if (ms === undefined)
    throw createWrongUsage(
      localize('"{0}" is not an age.', text),
      localize("Write a number and h, d, w, or y, e.g. --older-than 90d."),
    );
  return Number(count) * ms;
}

/** Returns addresses by provider. The provider table validates both when they are used. */
export function readUpstreams(args: Arguments): Readonly<Record<string, string>> {
  return Object.fromEntries(args.values("upstream").map(readUpstream));
}

function readUpstream(text: string): readonly [provider: string, address: string] {
  const at = text.indexOf("=");
  if (at > 0 && at < text.length - 1) return [text.slice(0, at), text.slice(at + 1)];
  const how = localize("Write --upstream PROVIDER=URL, e.g. --upstream openai=https://api.openai.com");
  throw createWrongUsage(localize('"{0}" is not an upstream.', text), how);
}
