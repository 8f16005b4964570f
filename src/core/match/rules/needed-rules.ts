import type { KeyedRequest } from "../key/key.ts";
import type { Moments } from "./calendar.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";
import type { CompilePattern } from "./patterns.ts";
import { textUnder, withoutNeedless } from "./propose-rules.ts";
import type { NormaliseRule } from "./rule.ts";
import type { RuledRecording } from "./ruled-request.ts";

export type Rules = readonly NormaliseRule[];

/** A missed call. */
export interface Missed {
  readonly asked: KeyedRequest;
  readonly again: KeyedRequest | undefined;
  readonly nearest: RuledRecording | undefined;
  readonly times: number;
  readonly moments: Moments | undefined;
}

export interface Case extends Missed {
  readonly nearest: RuledRecording;
}

/** As few of these rules as spare what all of them do, those of the widest reach first. */
export function fewest(all: Rules, cases: readonly Case[], compile: CompilePattern): Rules {
  const reach = (rule: NormaliseRule): number => ("ignore" in rule ? 2 : "at" in rule ? 1 : 0);
  const byReach = all.toSorted((one, other) => reach(one) - reach(other));
  return inOrder(withoutNeedless(byReach, sparesAsMuchAs(all, cases, compile)));
}

/** Whether rules spare what all of these do. One that goes by looks finds by chance: it makes no plainer one needless. */
function sparesAsMuchAs(
  all: Rules,
  cases: readonly Case[],
  compile: CompilePattern,
): (some: Rules) => boolean {
  const spared = cases.filter(sparedUnder(all, compile));
  const plainly = cases.filter(sparedUnder(plain(all), compile));
  return (some) =>
    spared.every(sparedUnder(some, compile)) && plainly.every(sparedUnder(plain(some), compile));
}

function plain(rules: Rules): Rules {
  return rules.filter((rule) => !("replace" in rule) || NAMED_PATTERNS[rule.replace]?.isOne === undefined);
}

/** The order in which patterns were made for each other: in another, one takes a piece of what the next would find. */
export function inOrder(rules: Rules): Rules {
  const place = (rule: NormaliseRule): number =>
    "replace" in rule ? ORDER.indexOf(rule.replace) : ORDER.length;
  return rules.toSorted((one, other) => place(one) - place(other));
}

const ORDER = Object.keys(NAMED_PATTERNS);

export function sparedUnder(rules: Rules, compile: CompilePattern): (one: Case) => boolean {
  const textOf = textUnder(inOrder(rules), compile);
  return ({ asked, nearest }) => textOf(asked) === textOf(nearest.request);
}

/** Without those that no call needs, neither now nor as it was when it was made again; those of the widest reach stay. */
export function keepNeeded(
  all: Rules,
  missed: readonly Missed[],
  { cases, compile }: { readonly cases: readonly Case[]; readonly compile: CompilePattern },
): Rules {
  const twice = missed.flatMap((one) => (one.again ? [{ asked: one.asked, again: one.again }] : []));
  const isSame = (some: Rules): ((one: (typeof twice)[number]) => boolean) => {
    const textOf = textUnder(inOrder(some), compile);
    return ({ asked, again }) => textOf(asked) === textOf(again);
  };
  const same = twice.filter(isSame(all));
  const sparesAsMuch = sparesAsMuchAs(all, cases, compile);
  const isEnough = (some: Rules): boolean => sparesAsMuch(some) && same.every(isSame(some));
  const isNamed = (rule: NormaliseRule): boolean => "replace" in rule && rule.replace in NAMED_PATTERNS;
  const byReach = [...all.filter(isNamed), ...all.filter((rule) => !isNamed(rule))];
  return inOrder(withoutNeedless(byReach, isEnough));
}
