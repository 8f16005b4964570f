import { normaliseRequest, type KeyedRequest } from "../key/key.ts";
import { collidingPairs } from "./colliding-pairs.ts";
import { anyIndex, differingPlaces, type DifferingPlace } from "./differing-places.ts";
import type { CompilePattern } from "./patterns.ts";
import { MOST_LEFT_OUT, textUnder } from "./propose-rules.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";
import type { RuledRecording } from "./ruled-request.ts";
import type { NormaliseRule } from "./rule.ts";
import { compileRules } from "./rules.ts";
import { varyingText } from "./varying-text.ts";

/** A missed call, and what the same code asked when it ran again. */
export interface VaryingCall {
  readonly asked: KeyedRequest;
  readonly again: KeyedRequest;
}

export interface VaryingPlan {
  /** In the order in which they apply, before named patterns: these would change the text around what varies. */
  readonly rules: readonly NormaliseRule[];
  /** Rules that would make one call of two recordings. */
  readonly refused: readonly {
    readonly rules: readonly NormaliseRule[];
    readonly collision: readonly [string, string];
  }[];
  /** How many of the calls say other words with each run, and how many the same in another order. */
  readonly words: number;
  readonly order: number;
}

interface Among {
  /** What was asked by all missed calls: a rule makes no two of them one. */
  readonly asked: readonly KeyedRequest[];
  readonly recordings: readonly RuledRecording[];
  readonly compile: CompilePattern;
}

/**
 * Rules for what changes from run to run and is none of the known things: what two runs of the same code asked differs
 * there, so nobody wrote it. Each pattern is held by the text around it; what reads as words gets none.
 */
export function planVarying(
  calls: readonly VaryingCall[],
  { asked, recordings, compile }: Among,
): VaryingPlan {
  const accepted: NormaliseRule[] = [];
  const refused: VaryingPlan["refused"][number][] = [];
  const counts = { words: 0, order: 0 };
  const textOf = textUnder([], compile);
  const start = (entry: string, request: KeyedRequest): Followed => ({
    entry,
    now: textOf(request),
    request,
  });
  let recorded = recordings.map(({ entry, request }) => start(entry, request));
  let missed = asked.map((request) => start("", request));
  const accept = (rule: NormaliseRule): void => {
    const normalise = compileRules([rule], compile);
    const next = (one: Followed): Followed => ({ ...one, request: normaliseRequest(one.request, normalise) });
    const [nextRecorded, nextMissed] = [recorded.map(next), missed.map(next)];
    const textNow = ({ now, request }: Followed) => ({ now, after: textOf(request) });
    const [pair] = collidingPairs(nextRecorded, textNow);
    if (pair !== undefined) refused.push({ rules: [rule], collision: [pair[0].entry, pair[1].entry] });
    if (pair !== undefined || collidingPairs(nextMissed, textNow).next().done !== true) return;
    accepted.push(rule);
    [recorded, missed] = [nextRecorded, nextMissed];
  };
  const found = new Map<string, NormaliseRule>();
  for (const call of calls) {
    const rules = rulesFor(call.asked, call.again, compile);
    if (typeof rules === "string") counts[rules] += 1;
    else for (const rule of rules) found.set(JSON.stringify(rule), rule);
  }
  for (const rule of found.values()) accept(rule);
  return { rules: accepted, refused, ...counts };
}

/** A request and what it says now, on its way from rule to rule. */
interface Followed {
  readonly entry: string;
  readonly now: string;
  readonly request: KeyedRequest;
}

function rulesFor(
  asked: KeyedRequest,
  again: KeyedRequest,
  compile: CompilePattern,
): readonly NormaliseRule[] | "words" | "order" {
  const places = differingPlaces(asked, again) ?? [];
  const settings = places.filter(({ isSetting }) => isSetting);
  if (settings.length > MOST_LEFT_OUT) return [];
  const scope = { provider: [asked.provider], operation: [asked.operation] };
  const rules = settings.map((place): NormaliseRule => ({ ...ruleForSetting(place, compile), ...scope }));
  for (const { isSetting, pointer, a, b } of places) {
    if (isSetting) continue;
    // What is there only once is no text that varies.
    if (typeof a !== "string" || typeof b !== "string") return [];
    const varying = varyingText(a, b);
    if (typeof varying === "string") return varying;
    if (varying === undefined) return [];
    rules.push(...varying.rules.map((rule) => ({ ...rule, at: anyIndex(pointer), ...scope })));
  }
  return rules;
}

/** A named pattern under which a setting is the same: a numbered one keeps which result is whose. Else it is left out. */
function ruleForSetting({ pointer, a, b }: DifferingPlace, compile: CompilePattern): NormaliseRule {
  const under = (name: string, text: string): string => compile(name).replaceIn(text, "");
  const named =
    typeof a === "string" && typeof b === "string"
      ? Object.keys(NAMED_PATTERNS).find((name) => under(name, a) === under(name, b))
      : undefined;
  return named === undefined ? { ignore: anyIndex(pointer) } : { replace: named };
}
