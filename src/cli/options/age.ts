import { wrongUsage } from "../../core/errors.ts";
import type { Arguments } from "./arguments.ts";

export const AGE_HELP = "--older-than AGE";

const UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};

/** The age of `--older-than` in milliseconds. @throws TapedeckError `tapedeck_usage` for what is no age. */
export function readAge(args: Arguments): number | undefined {
  const text = args.value("older-than");
  if (text === undefined) return undefined;
  const [, count = "", unit = ""] = /^(\d{1,6})([hdwy])$/.exec(text) ?? [];
  const ms = UNITS[unit];
  if (ms === undefined)
    throw wrongUsage(`"${text}" is not an age.`, "Write a number and h, d, w or y, e.g. --older-than 90d.");
  return Number(count) * ms;
}
