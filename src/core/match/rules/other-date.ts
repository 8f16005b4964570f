import { instantOf } from "../../view/age.ts";
import { normaliseRequest, type KeyedRequest } from "../key/key.ts";
import { movedWithCalendar, type Moments } from "./calendar.ts";
import type { CompilePattern } from "./patterns.ts";
import type { NormaliseRule } from "./rule.ts";
import { compileRules } from "./rules.ts";

/** The named patterns of what goes with the calendar, and with a clock. */
const OF_CALENDAR: ReadonlySet<string> = new Set(["$isoDate", "$date", "$clock", "$epoch"]);

/** Undefined where it is not known when a recording was made, or a call came. */
export function momentsOf(
  { recordedAt = "" }: { readonly recordedAt?: string },
  at: number | undefined,
): Moments | undefined {
  const recorded = instantOf(recordedAt);
  return at === undefined || recorded === undefined ? undefined : { recordedAt: recorded, at };
}

/** A date or time that a recording has and a call has otherwise, although the calendar does not say so. */
export type OtherDate = readonly [recorded: string, asked: string];

/**
 * The first date or time that rules would take out of a recording and a call and that did not move with the calendar
 * between them: it is what was asked about. Undefined where there is none.
 */
export function otherDate(
  rules: readonly NormaliseRule[],
  [recorded, asked]: readonly [recorded: KeyedRequest, asked: KeyedRequest],
  { moments, compile }: { readonly moments: Moments; readonly compile: CompilePattern },
): OtherDate | undefined {
  if (!rules.some((rule) => "replace" in rule && OF_CALENDAR.has(rule.replace))) return undefined;
  const [before, now] = [recorded, asked].map((request) => takenOut(rules, request, compile));
  for (const [index, text] of (now ?? []).entries()) {
    const was = before?.[index] ?? "";
    if (was !== text && !movedWithCalendar(was, text, moments)) return [was, text];
  }
  return undefined;
}

/** The dates and times that rules take out of a request, in their order. */
function takenOut(
  rules: readonly NormaliseRule[],
  request: KeyedRequest,
  compile: CompilePattern,
): readonly string[] {
  const taken: string[] = [];
  const noting: CompilePattern = (source) => {
    const pattern = compile(source);
    if (!OF_CALENDAR.has(source)) return pattern;
    return {
      replaceIn: (text, by) =>
        pattern.replaceIn(text, (found) => {
          taken.push(found);
          return typeof by === "string" ? by : by(found);
        }),
    };
  };
  normaliseRequest(request, compileRules(rules, noting));
  return taken;
}
