import type { Miss } from "../../call.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import { grouped } from "../../grouped.ts";
import { inPortions } from "../../portions.ts";
import type { KeyedRequest } from "../key/canonical.ts";
import type { Normaliser } from "../key/key.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";
import { planVarying } from "./plan-varying.ts";
import { loadPatterns, type CompilePattern } from "./patterns.ts";
import { collisionAmong, proposeRules, textUnder, withoutNeedless } from "./propose-rules.ts";
import { readRuled, ruledRequest, type RuledRecording } from "./ruled-request.ts";
import type { NormaliseRule } from "./rule.ts";

/** A missed call, however often it was made. */
export interface PlannedMiss {
  readonly miss: Pick<Miss, "provider" | "operation" | "request" | "nearest">;
  readonly times: number;
  /** What the same code asked in its place when it ran again, where that was another call. */
  readonly again?: Pick<Miss, "provider" | "operation" | "request">;
}

/** Rules under which missed calls would be their nearest recordings', and all that they would do. */
export interface RulesPlan {
  /** As few as will do. */
  readonly rules: readonly PlannedRule[];
  /** How many of the missed calls match under all of them. */
  readonly matched: number;
  /** How many missed. */
  readonly misses: number;
  /** Missed calls that differ from one another and would be one call: so many groups of them. */
  readonly merged: number;
  /** Rules that are not to be had. */
  readonly refused: readonly RefusedRules[];
  /** How many recordings were looked at. */
  readonly looked: number;
  /** Missed calls that say other words whenever they are made, and those that say the same in another order. */
  readonly varying: { readonly words: number; readonly order: number };
}

export interface PlannedRule {
  readonly rule: NormaliseRule;
  /** How many of the matched calls would miss without it. */
  readonly misses: number;
  /** Entries of other recordings whose key it would change; each stays apart from every other. */
  readonly touched: readonly string[];
}

export interface RefusedRules {
  readonly rules: readonly NormaliseRule[];
  /** Entries of two recordings of different requests that they would make one. */
  readonly collision: readonly [string, string];
}

export interface Planning {
  readonly store: CassetteStore;
  readonly normalise: Normaliser | undefined;
}

type Rules = readonly NormaliseRule[];

/** A missed call beside its nearest recording. */
interface Case {
  readonly asked: KeyedRequest;
  readonly nearest: RuledRecording;
  readonly times: number;
}

interface Missed {
  readonly asked: KeyedRequest;
  readonly again: KeyedRequest | undefined;
  readonly nearest: RuledRecording | undefined;
  readonly times: number;
}

/**
 * The smallest set of rules under which these missed calls would match, as far as rules do it. Reads every recording of
 * their providers; a rule that would make one call of two recordings of different requests is refused, with their names.
 */
export async function planRules(missed: readonly PlannedMiss[], planning: Planning): Promise<RulesPlan> {
  const compile = await loadPatterns();
  const recordings = await recordingsOf(new Set(missed.map(({ miss }) => miss.provider)), planning);
  const all = missedOf(missed, recordings, planning.normalise);
  const cases = all.flatMap(({ asked, nearest, times }) => (nearest ? [{ asked, nearest, times }] : []));
  const collisionUnder = createCollisions(recordings, compile);
  const proposed: Rules[] = [];
  const refused: RefusedRules[] = [];
  for (const { asked, nearest } of cases) {
    const others = async (rules: Rules) => collisionUnder(rules);
    const proposal = await proposeRules(nearest.request, asked, { compile, others });
    if (proposal?.collision) refused.push({ rules: proposal.rules, collision: proposal.collision });
    else if (proposal) proposed.push(proposal.rules);
  }
  const accepted: NormaliseRule[] = [];
  const widened = widenedRules(proposed.flat());
  const accept = (rule: NormaliseRule): void => {
    const [one, other] = collisionUnder([...accepted, rule]);
    const narrow = widened.get(rule) ?? [];
    if (!one || !other) accepted.push(rule);
    else if (narrow.length > 1) narrow.forEach(accept);
    else refused.push({ rules: [rule], collision: [one.entry, other.entry] });
  };
  fewest([...widened.keys()], cases, compile).forEach(accept);
  const textOf = textUnder(accepted, compile);
  const isSettled = ({ asked, again, nearest }: Missed): boolean =>
    [nearest?.request, again ?? asked].every((one) => one !== undefined && textOf(one) === textOf(asked));
  const left = all.filter((one) => !isSettled(one));
  const calls = left.flatMap(({ asked, again }) => (again ? [{ asked, again }] : []));
  const varying = planVarying(calls, { asked: all.map(({ asked }) => asked), recordings, compile });
  const both = inOrder([...varying.rules, ...accepted]);
  const planned = collisionUnder(both).length === 0 ? both : accepted;
  const answered = planned === accepted ? cases : answeredUnder(planned, all, { recordings, compile });
  const done = whatTheyDo(needed(planned, all, { cases: answered, compile }), answered, {
    recordings,
    compile,
  });
  return {
    ...done,
    misses: missed.reduce((sum, { times }) => sum + times, 0),
    refused: grouped([...refused, ...varying.refused], ({ rules }) => JSON.stringify(rules)).flatMap(
      ([first]) => first ?? [],
    ),
    looked: recordings.length,
    varying: { words: varying.words, order: varying.order },
  };
}

/** Without those that no call needs, neither now nor as it was when it was made again; those of the widest reach stay. */
function needed(
  all: Rules,
  missed: readonly Missed[],
  { cases, compile }: { readonly cases: readonly Case[]; readonly compile: CompilePattern },
): Rules {
  const twice = missed.flatMap((one) => (one.again ? [{ asked: one.asked, again: one.again }] : []));
  const isSame = (some: Rules): ((one: (typeof twice)[number]) => boolean) => {
    const textOf = textUnder(inOrder(some), compile);
    return ({ asked, again }) => textOf(asked) === textOf(again);
  };
  const [spared, same] = [cases.filter(sparedUnder(all, compile)), twice.filter(isSame(all))];
  const isEnough = (some: Rules): boolean =>
    spared.every(sparedUnder(some, compile)) && same.every(isSame(some));
  const isNamed = (rule: NormaliseRule): boolean => "replace" in rule && rule.replace in NAMED_PATTERNS;
  const byReach = [...all.filter(isNamed), ...all.filter((rule) => !isNamed(rule))];
  return inOrder(withoutNeedless(byReach, isEnough));
}

/** The missed calls beside the recordings that they match under rules, which need not be the nearest, or beside these. */
function answeredUnder(
  rules: Rules,
  all: readonly Missed[],
  { recordings, compile }: Looking,
): readonly Case[] {
  const textOf = textUnder(rules, compile);
  const byText = new Map(recordings.map((one) => [textOf(one.request), one]));
  return all.flatMap(({ asked, nearest, times }) => {
    const answer = byText.get(textOf(asked)) ?? nearest;
    return answer === undefined ? [] : [{ asked, nearest: answer, times }];
  });
}

interface Looking {
  readonly recordings: readonly RuledRecording[];
  readonly compile: CompilePattern;
}

async function recordingsOf(
  providers: ReadonlySet<string>,
  { store, normalise }: Planning,
): Promise<readonly RuledRecording[]> {
  const addresses = (await store.list()).filter(({ provider }) => providers.has(provider));
  const read = await inPortions(addresses, ({ entry }) => readRuled(entry, store, normalise));
  return read.filter((one) => one !== undefined);
}

function missedOf(
  missed: readonly PlannedMiss[],
  recordings: readonly RuledRecording[],
  normalise: Normaliser | undefined,
): readonly Missed[] {
  const byEntry = new Map(recordings.map((one) => [one.entry, one]));
  return missed.map(({ miss, times, again }) => ({
    asked: ruledRequest(miss, normalise),
    again: again && ruledRequest(again, normalise),
    nearest: byEntry.get(miss.nearest?.entry ?? ""),
    times,
  }));
}

/** Two recordings that rules would make one call of, or none; each set of rules is looked at once. */
function createCollisions(
  recordings: readonly RuledRecording[],
  compile: CompilePattern,
): (rules: Rules) => readonly RuledRecording[] {
  const known = new Map<string, readonly RuledRecording[]>();
  return (rules) => {
    const name = JSON.stringify(rules);
    const found = known.get(name) ?? collisionAmong(recordings, textUnder(rules, compile)) ?? [];
    known.set(name, found);
    return found;
  };
}

/**
 * What is volatile for one provider, or in one place, and for another is one rule, for both: with the narrower ones that
 * it stands for.
 */
function widenedRules(proposed: Rules): ReadonlyMap<NormaliseRule, Rules> {
  const all = [...new Map(proposed.map((rule) => [JSON.stringify(rule), rule])).values()];
  const groups = grouped(all, subjectOf);
  return new Map(groups.map((rules) => [widest(rules), rules]));
}

function subjectOf(rule: NormaliseRule): string {
  if ("replace" in rule) return rule.replace;
  return "ignore" in rule ? `ignore ${rule.ignore}` : JSON.stringify(rule);
}

function widest(rules: Rules): NormaliseRule {
  const [first, ...more] = rules;
  if (first === undefined) throw new Error("a group without a member");
  if (more.length === 0) return first;
  const provider = [...new Set(rules.flatMap((rule) => rule.provider ?? []))];
  const operation = [...new Set(rules.flatMap((rule) => rule.operation ?? []))];
  const isOnePlace = new Set(rules.map((rule) => ("at" in rule ? rule.at : undefined))).size === 1;
  if (isOnePlace || !("replace" in first)) return { ...first, provider, operation };
  return { replace: first.replace, provider, operation };
}

/** As few of these rules as spare what all of them do, those of the widest reach first. */
function fewest(all: Rules, cases: readonly Case[], compile: CompilePattern): Rules {
  const reach = (rule: NormaliseRule): number => ("ignore" in rule ? 2 : "at" in rule ? 1 : 0);
  const byReach = all.toSorted((one, other) => reach(one) - reach(other));
  const spared = cases.filter(sparedUnder(all, compile));
  return inOrder(withoutNeedless(byReach, (some) => spared.every(sparedUnder(some, compile))));
}

/** The order in which patterns were made for each other: in another, one takes a piece of what the next would find. */
function inOrder(rules: Rules): Rules {
  const place = (rule: NormaliseRule): number =>
    "replace" in rule ? ORDER.indexOf(rule.replace) : ORDER.length;
  return rules.toSorted((one, other) => place(one) - place(other));
}

const ORDER = Object.keys(NAMED_PATTERNS);

function sparedUnder(rules: Rules, compile: CompilePattern): (one: Case) => boolean {
  const textOf = textUnder(inOrder(rules), compile);
  return ({ asked, nearest }) => textOf(asked) === textOf(nearest.request);
}

function whatTheyDo(
  rules: Rules,
  cases: readonly Case[],
  { recordings, compile }: Looking,
): Pick<RulesPlan, "rules" | "matched" | "merged"> {
  const matched = cases.filter(sparedUnder(rules, compile));
  const answering = new Set(matched.map(({ nearest }) => nearest.entry));
  const [now, after] = [textUnder([], compile), textUnder(rules, compile)];
  const together = grouped(matched, ({ asked }) => after(asked));
  return {
    rules: rules.map((rule) => {
      const isSpared = sparedUnder(
        rules.filter((other) => other !== rule),
        compile,
      );
      const alone = textUnder([rule], compile);
      const needing = matched.filter((one) => !isSpared(one));
      const touched = recordings.filter(
        ({ entry, request }) => !answering.has(entry) && alone(request) !== now(request),
      );
      return { rule, misses: sumOf(needing), touched: touched.map(({ entry }) => entry) };
    }),
    matched: sumOf(matched),
    merged: together.filter((group) => new Set(group.map(({ asked }) => now(asked))).size > 1).length,
  };
}

function sumOf(cases: readonly Case[]): number {
  return cases.reduce((sum, { times }) => sum + times, 0);
}
