import type { Miss } from "../../call.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import { groupBy } from "../../group-by.ts";
import { inPortions } from "../../portions.ts";
import type { Normaliser } from "../key/key.ts";
import { pickDefined } from "../../pick-defined.ts";
import { momentsOf, otherDate, type OtherDate } from "./other-date.ts";
import { planVarying } from "./plan-varying.ts";
import { loadPatterns, type CompilePattern } from "./patterns.ts";
import {
  fewest,
  inOrder,
  keepNeeded,
  sparedUnder,
  type Case,
  type Missed,
  type Rules,
} from "./needed-rules.ts";
import { collisionAmong, proposeRules, textUnder } from "./propose-rules.ts";
import { readRuled, ruledRequest, type RuledRecording } from "./ruled-request.ts";
import type { NormaliseRule } from "./rule.ts";
import { acceptRules, widenedRules } from "./widened-rules.ts";

/** A missed call, however often it was made. */
export interface PlannedMiss {
  readonly miss: Pick<Miss, "provider" | "operation" | "request" | "nearest">;
  readonly times: number;
  /** When it came, in milliseconds since the epoch; without it, every date counts as one that moves with the calendar. */
  readonly at?: number;
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
  /** Missed calls about a date or time that did not move with the calendar, and one of these. */
  readonly dated: { readonly calls: number; readonly first?: OtherDate };
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

/**
 * The smallest set of rules under which these missed calls would match, as far as rules do it. Reads every recording of
 * their providers; a rule that would make one call of two recordings of different requests is refused, with their names.
 */
export async function planRules(missed: readonly PlannedMiss[], planning: Planning): Promise<RulesPlan> {
  const compile = await loadPatterns();
  const recordings = await recordingsOf(new Set(missed.map(({ miss }) => miss.provider)), planning);
  const all = missedOf(missed, recordings, planning.normalise);
  const cases = all.filter((one): one is Case => one.nearest !== undefined);
  const collisionUnder = createCollisions(recordings, compile);
  const { proposed, refused, dated } = await proposeForEach(cases, collisionUnder, compile);
  const isAboutDates = (rules: Rules): boolean => dated.some(sparedUnder(rules, compile));
  const widened = widenedRules([...proposed.values()].flat());
  const fitting = fewest([...widened.keys()], cases, compile);
  const accepted = acceptRules(fitting, widened, {
    collision: (rules) => {
      const [one, other] = collisionUnder(rules);
      return one && other && [one.entry, other.entry];
    },
    isAboutDates,
    refuse: (rule, collision) => refused.push({ rules: [rule], collision }),
  });
  const textOf = textUnder(accepted, compile);
  const isSettled = ({ asked, again, nearest }: Missed): boolean =>
    [nearest?.request, again ?? asked].every((one) => one !== undefined && textOf(one) === textOf(asked));
  const left = all.filter((one) => !isSettled(one));
  const calls = left.flatMap(({ asked, again }) => (again ? [{ asked, again }] : []));
  // Where a named pattern would take a date out of another question as well, the text around it holds a narrower one.
  const held = left.flatMap((one) =>
    one.nearest && proposed.has(one) ? [{ asked: one.nearest.request, again: one.asked }] : [],
  );
  const varying = planVarying([...calls, ...held], {
    asked: all.map(({ asked }) => asked),
    recordings,
    compile,
  });
  const both = inOrder([...varying.rules, ...accepted]);
  const planned = collisionUnder(both).length === 0 && !isAboutDates(both) ? both : accepted;
  const answered = planned === accepted ? cases : answeredUnder(planned, all, { recordings, compile });
  const done = whatTheyDo(keepNeeded(planned, all, { cases: answered, compile }), answered, {
    recordings,
    compile,
  });
  return {
    ...done,
    misses: missed.reduce((sum, { times }) => sum + times, 0),
    refused: groupBy([...refused, ...varying.refused], ({ rules }) => JSON.stringify(rules)).flatMap(
      ([first]) => first ?? [],
    ),
    looked: recordings.length,
    varying: { words: varying.words, order: varying.order },
    dated: { calls: sumOf(dated), ...pickDefined({ first: dated[0]?.dates }) },
  };
}

/** What each missed call would need, by itself. */
async function proposeForEach(
  cases: readonly Case[],
  collisionUnder: ReturnType<typeof createCollisions>,
  compile: CompilePattern,
) {
  const proposed = new Map<Missed, Rules>();
  const refused: RefusedRules[] = [];
  const dated: (Case & { readonly dates: OtherDate })[] = [];
  const others = async (rules: Rules) => collisionUnder(rules);
  for (const one of cases) {
    const { asked, nearest, moments } = one;
    const proposal = await proposeRules(nearest.request, asked, { compile, others, moments });
    if (proposal?.collision) refused.push({ rules: proposal.rules, collision: proposal.collision });
    else if (proposal) proposed.set(one, proposal.rules);
    else if (moments) {
      const unlimited = await proposeRules(nearest.request, asked, { compile, others });
      const dates = unlimited && otherDate(unlimited.rules, [nearest.request, asked], { moments, compile });
      if (dates) dated.push({ ...one, dates });
    }
  }
  return { proposed, refused, dated };
}

/** The missed calls beside the recordings that they match under rules, which need not be the nearest, or beside these. */
function answeredUnder(
  rules: Rules,
  all: readonly Missed[],
  { recordings, compile }: Looking,
): readonly Case[] {
  const textOf = textUnder(rules, compile);
  const byText = new Map(recordings.map((one) => [textOf(one.request), one]));
  return all.flatMap((one) => {
    const nearest = byText.get(textOf(one.asked)) ?? one.nearest;
    return nearest === undefined ? [] : [{ ...one, nearest }];
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
  return missed.map(({ miss, times, again, at }) => {
    const nearest = byEntry.get(miss.nearest?.entry ?? "");
    return {
      asked: ruledRequest(miss, normalise),
      again: again && ruledRequest(again, normalise),
      nearest,
      times,
      moments: nearest && momentsOf(nearest, at),
    };
  });
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

function whatTheyDo(
  rules: Rules,
  cases: readonly Case[],
  { recordings, compile }: Looking,
): Pick<RulesPlan, "rules" | "matched" | "merged"> {
  const matched = cases.filter(sparedUnder(rules, compile));
  const answering = new Set(matched.map(({ nearest }) => nearest.entry));
  const [now, after] = [textUnder([], compile), textUnder(rules, compile)];
  const together = groupBy(matched, ({ asked }) => after(asked));
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

const sumOf = (cases: readonly Case[]): number => cases.reduce((sum, { times }) => sum + times, 0);
