import type { RuleProposal } from "../../call.ts";
import { canonicalJson, type JsonTree } from "../../json/json-tree.ts";
import { normaliseRequest, type KeyedRequest } from "../key/key.ts";
import { keyHeaders } from "../key/key-headers.ts";
import { collidingPairs, type Said } from "./colliding-pairs.ts";
import { anyIndex, differingPlaces, type DifferingPlace } from "./differing-places.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";
import type { Moments } from "./calendar.ts";
import { otherDate } from "./other-date.ts";
import type { CompilePattern, Pattern } from "./patterns.ts";
import { changeTexts } from "./pointer-pattern.ts";
import type { RuledRecording } from "./ruled-request.ts";
import type { NormaliseRule } from "./rule.ts";
import { compileRules } from "./rules.ts";

export interface ProposalParts {
  readonly compile: CompilePattern;
  /**
   * Recorded requests that the rules could make one with these, or with one another. Asked for rules that would do.
   * Undefined where nobody can say: such rules are not proposed.
   */
  readonly others: (rules: readonly NormaliseRule[]) => Promise<readonly RuledRecording[] | undefined>;
  /** Without them, every date and time counts as one that moves with the calendar. */
  readonly moments?: Moments | undefined;
}

type Rules = readonly NormaliseRule[];

/**
 * The fewest rules under which two requests, which have different keys, would have the same one: a named pattern at the
 * one place where they differ, else wherever it is found, else several patterns and settings left out, else the place
 * left out, but for what is said to the model. Undefined where these do not do it. Refused, with the names of both, where
 * they would also make one of two recordings of different requests. A date or time that did not move with the calendar is
 * what was asked about: no rule takes it out.
 */
export async function proposeRules(
  recorded: KeyedRequest,
  requested: KeyedRequest,
  { compile, others, moments }: ProposalParts,
): Promise<RuleProposal | undefined> {
  const places = differingPlaces(recorded, requested);
  if (places === undefined || places.length === 0) return undefined;
  const asked = comparableWith(recorded, requested);
  const scope = { provider: [asked.provider], operation: [asked.operation] };
  let refused: RuleProposal | undefined;
  for (const found of ruleSetsFor([recorded, asked], places, compile)) {
    const rules = found.map((rule) => ({ ...rule, ...scope }));
    const textOf = textUnder(rules, compile);
    if (textOf(recorded) !== textOf(asked)) continue;
    if (moments && otherDate(rules, [recorded, asked], { moments, compile }) !== undefined) continue;
    const recordings = await others(rules);
    if (recordings === undefined) continue;
    const pair = collisionAmong(recordings, textOf);
    if (pair === undefined) return { rules };
    refused ??= { rules, collision: [pair[0].entry, pair[1].entry] };
  }
  return refused;
}

/** A request as a recording answers it that nobody looked at the headers of. */
function comparableWith(recorded: KeyedRequest, asked: KeyedRequest): KeyedRequest {
  if (recorded.headers !== undefined) return asked;
  const { headers: _, ...others } = asked;
  return others;
}

/** Two recordings whose requests differ now and would not under rules, if there are any. */
export function collisionAmong(
  recordings: readonly RuledRecording[],
  textOf: (request: KeyedRequest) => string,
): readonly [RuledRecording, RuledRecording] | undefined {
  const saidBy = ({ request }: RuledRecording): Said<string> => ({
    now: textNow(request),
    after: textOf(request),
  });
  const [pair] = collidingPairs(recordings, saidBy);
  return pair;
}

/** What tells requests apart under more rules; for comparing only. */
export function textUnder(rules: Rules, compile: CompilePattern): (request: KeyedRequest) => string {
  const normalise = compileRules(rules, compile);
  return (request) => textNow(normaliseRequest(request, normalise));
}

/** Most rules leave most requests as they are, so that the same trees come again and again. */
const canonical = new WeakMap<object, string>();

function textNow(request: KeyedRequest): string {
  const { provider, operation, method, path, body } = request;
  const text = body.kind === "json" ? canonicalOnce(body.tree) : body.kind;
  return JSON.stringify([provider, operation, method, path, ...keyHeaders(request)]) + text;
}

function canonicalOnce(tree: JsonTree): string {
  if (typeof tree !== "object" || tree === null) return canonicalJson(tree);
  const text = canonical.get(tree) ?? canonicalJson(tree);
  canonical.set(tree, text);
  return text;
}

type Pair = readonly [recorded: KeyedRequest, asked: KeyedRequest];

const PATTERNS = Object.keys(NAMED_PATTERNS);

function* ruleSetsFor(
  pair: Pair,
  places: readonly DifferingPlace[],
  compile: CompilePattern,
): Generator<Rules> {
  const [only] = places.length === 1 ? places : [];
  const reaching = PATTERNS.filter((name) => places.every(isReachedBy(compile(name))));
  if (only !== undefined) for (const replace of reaching) yield [{ replace, at: anyIndex(only.pointer) }];
  for (const replace of reaching) yield [{ replace }];
  const several = severalRules(pair, places, compile);
  if (several !== undefined) yield several;
  if (only?.isSaid === false) yield [{ ignore: only.pointer }];
}

/** Whether a pattern changes anything of a place where two requests differ: only then may it be what makes them one. */
function isReachedBy(pattern: Pattern): (place: DifferingPlace) => boolean {
  const isChanged = (value: JsonTree | undefined): boolean =>
    value !== undefined && changeTexts(value, (text) => pattern.replaceIn(text, "")) !== value;
  return ({ a, b }) => isChanged(a) || isChanged(b);
}

/** So many settings may be left out beside patterns: where more differ, it is another call. */
export const MOST_LEFT_OUT = 3;

/** Patterns, and settings left out that none of them finds: no rule among them without which it would do as well. */
function severalRules(
  [recorded, asked]: Pair,
  places: readonly DifferingPlace[],
  compile: CompilePattern,
): Rules | undefined {
  const patterns = PATTERNS.filter((name) => places.some(isReachedBy(compile(name)))).map((replace) => ({
    replace,
  }));
  const normalise = compileRules(patterns, compile);
  const left = differingPlaces(normaliseRequest(recorded, normalise), normaliseRequest(asked, normalise));
  if (left === undefined || left.some(({ isSetting }) => !isSetting)) return undefined;
  const ignored = [...new Set(left.map(({ pointer }) => anyIndex(pointer)))];
  if (ignored.length > MOST_LEFT_OUT) return undefined;
  const all: Rules = [...patterns, ...ignored.map((ignore) => ({ ignore }))];
  const isEnough = (rules: Rules): boolean => {
    const textOf = textUnder(rules, compile);
    return textOf(recorded) === textOf(asked);
  };
  return isEnough(all) ? withoutNeedless(all, isEnough) : undefined;
}

/** Without each rule without which the others are enough, the last ones first: the first patterns are the plainest. */
export function withoutNeedless<T>(
  all: readonly T[],
  isEnough: (some: readonly T[]) => boolean,
): readonly T[] {
  return all.reduceRight<readonly T[]>((needed, one) => {
    const others = needed.filter((other) => other !== one);
    return isEnough(others) ? others : needed;
  }, all);
}
