import type { Miss } from "../../call/call.ts";
import type { Recording } from "../../cassette/recording.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import { readRuledRequest, type DescribedRequest } from "../read-request.ts";
import { groupBy } from "../../base/group-by.ts";
import { writeCanonicalJson, listKeyHeaders, normalizeRequest, type Normalizer } from "../key/key.ts";
import { processInPortions } from "../../base/portions.ts";
import { type KeyedRequest } from "../../cassette/recorded-request.ts";
import { parseInstant } from "../../base/age.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";
import { loadPatterns, type CompilePattern } from "./patterns.ts";
import { proposeRules, type PlaceProposal } from "./propose.ts";
import type { NormalizeRule } from "../../call/rule.ts";
import { compileRules } from "./rules.ts";

/** A missed call, however often it was made. */
export interface PlannedMiss {
  readonly miss: Pick<Miss, "provider" | "operation" | "request" | "nearest">;
  readonly times: number;
  /** When it came, in milliseconds since the epoch. Without it, every date counts as that of its call. */
  readonly at?: number;
  /** The same call of another run of the same code. */
  readonly again?: Pick<Miss, "provider" | "operation" | "request"> | undefined;
}

/** Rules for missed calls, and what they do. */
export interface RulesPlan {
  readonly rules: readonly PlannedRule[];
  /** Missed calls, and those of them that match their nearest recordings under all rules. */
  readonly misses: number;
  readonly matched: number;
  /** Places that differ from the nearest recording in all missed calls, and those that the rules cover. */
  readonly differences: number;
  readonly covered: number;
  readonly left: readonly LeftPlace[];
  readonly refused: readonly RefusedRule[];
  /** Number of recordings that the rules rename, not counting the nearest ones. */
  readonly renamed: number;
}

export interface PlannedRule {
  readonly rule: NormalizeRule;
  /** Missed calls with a difference that it covers. */
  readonly misses: number;
  /** Whether it covers only values that can be expected to change on every run. */
  readonly isVolatile: boolean;
}

/** A place for which no rule is proposed. */
export interface LeftPlace {
  readonly place: string;
  /** Missed calls that differ there. */
  readonly misses: number;
  /** Whether two runs of the same code differ there. */
  readonly varies: boolean;
}

/** A rule under which different requests would get the same reply. */
export interface RefusedRule {
  readonly rule: NormalizeRule;
  /** The entry of a recording. */
  readonly recording: string;
  /** The entry of the other recording; undefined if the other request is a missed call. */
  readonly other: string | undefined;
}

export interface PlanContext {
  readonly store: CassetteStore;
  readonly normalize: Normalizer | undefined;
}

/**
 * Plans rules that make missed calls match their nearest recordings, where rules can. Reads every recording of their
 * providers, to refuse rules under which two different requests would get the same reply.
 */
export async function planRules(missed: readonly PlannedMiss[], planning: PlanContext): Promise<RulesPlan> {
  const compile = await loadPatterns();
  const recordings = await readRecordings(new Set(missed.map(({ miss }) => miss.provider)), planning);
  const cases = missed.map((one) => {
    const nearest = recordings.find(({ entry }) => entry === one.miss.nearest?.entry);
    return readMiss(one, nearest, { compile, ...planning });
  });
  const proposed = joinRules(cases.flatMap(({ places }) => places.flatMap(({ rules }) => rules)));
  const nearest = new Set(cases.map(({ nearestEntry }) => nearestEntry));
  const left = cases.filter(({ places }) => places.some(({ rules }) => rules.length === 0));
  const { rules, refused, changed } = acceptRules(
    proposed,
    { recordings, others: left.map(({ request }) => request) },
    compile,
  );
  const isCovered = (place: PlaceProposal): boolean =>
    place.rules.length > 0 && place.rules.every((rule) => rules.some((one) => covers(one, rule)));
  const ruledText = createTextUnder(rules, compile);
  const isMatched = ({ request, recorded }: MissedCase): boolean =>
    recorded !== undefined && ruledText(request) === ruledText(recorded);
  const places = cases.flatMap((one) => one.places);
  return {
    rules: rules.map((rule) => ({
      rule,
      misses: sumOf(
        cases.filter((one) => one.places.some((place) => place.rules.some((own) => covers(rule, own)))),
      ),
      isVolatile: places
        .filter((place) => place.rules.some((own) => covers(rule, own)))
        .every(({ isVolatile }) => isVolatile),
    })),
    misses: sumOf(cases),
    matched: sumOf(cases.filter(isMatched)),
    differences: places.length,
    covered: places.filter(isCovered).length,
    left: leftPlaces(cases, isCovered),
    refused,
    renamed: changed.filter((entry) => !nearest.has(entry)).length,
  };
}

/** Whether a rule can be proposed for a difference between a missed call and its nearest recording. */
export async function hasRules(
  missed: PlannedMiss,
  nearest: Recording,
  normalize: Normalizer | undefined,
): Promise<boolean> {
  const parts = { normalize, compile: await loadPatterns() };
  const { places } = readMiss(missed, readRecording("", nearest, normalize), parts);
  return places.some(({ rules }) => rules.length > 0);
}

interface RuledRecording {
  readonly entry: string;
  readonly request: KeyedRequest;
  /** Whether values of the request have their origins in the key. */
  readonly hasOrigins: boolean;
  readonly recordedAt: string;
}

/** Broken recordings are left out: they are reported where recordings are checked. */
async function readRecordings(
  providers: ReadonlySet<string>,
  { store, normalize }: PlanContext,
): Promise<readonly RuledRecording[]> {
  const addresses = (await store.list()).filter(({ provider }) => providers.has(provider));
  const read = await processInPortions(addresses, async ({ entry }) => {
    try {
      return readRecording(entry, await store.read(entry), normalize);
    } catch {
      return undefined;
    }
  });
  return read.filter((one) => one !== undefined);
}

function readRecording(
  entry: string,
  recording: Recording,
  normalize: Normalizer | undefined,
): RuledRecording {
  const request = readRuledRequest(recording, normalize);
  return {
    entry,
    request,
    hasOrigins: recording.request.values !== undefined,
    recordedAt: recording.recordedAt,
  };
}

interface MissedCase {
  readonly request: KeyedRequest;
  readonly nearestEntry: string | undefined;
  readonly recorded: KeyedRequest | undefined;
  readonly times: number;
  /** Where it differs from its nearest recording. */
  readonly places: readonly PlaceProposal[];
}

function readMiss(
  { miss, times, at, again }: PlannedMiss,
  nearest: RuledRecording | undefined,
  { normalize, compile }: Pick<PlanContext, "normalize"> & { readonly compile: CompilePattern },
): MissedCase {
  // A recording without origins, such as an imported one, matches the request as it was sent.
  const read = nearest?.hasOrigins === false ? readAsSent : readRuledRequest;
  const request = read(miss, normalize);
  const known = { request, nearestEntry: nearest?.entry, recorded: nearest?.request, times };
  if (nearest === undefined) return { ...known, places: [] };
  const recordedAt = parseInstant(nearest.recordedAt);
  const moments = at === undefined || recordedAt === undefined ? undefined : { recordedAt, at };
  const other = again && read(again, normalize);
  return { ...known, places: proposeRules(nearest.request, request, { compile, moments, again: other }) };
}

function readAsSent(described: DescribedRequest, normalize: Normalizer | undefined): KeyedRequest {
  const { values: _, ...request } = described.request;
  return readRuledRequest({ ...described, request }, normalize);
}

const sumOf = (cases: readonly MissedCase[]): number => cases.reduce((sum, { times }) => sum + times, 0);

const ORDER = Object.keys(NAMED_PATTERNS);

/**
 * One rule for each pattern and each ignored place, for all providers that need it. A pattern of several places is for
 * any place. Patterns are in the order in which they are defined: in another, one could take a piece of a match of the next.
 */
function joinRules(rules: readonly NormalizeRule[]): readonly NormalizeRule[] {
  const joined = groupBy(rules, subjectOf).flatMap((same): NormalizeRule[] => {
    const [first] = same;
    if (first === undefined) return [];
    const provider = [...new Set(same.flatMap((rule) => rule.provider ?? []))];
    const operation = [...new Set(same.flatMap((rule) => rule.operation ?? []))];
    if (!("replace" in first)) return [{ ...first, provider, operation }];
    const places = new Set(same.map((rule) => ("at" in rule ? rule.at : undefined)));
    const { replace, at } = first;
    return [{ replace, ...(places.size === 1 && at !== undefined && { at }), provider, operation }];
  });
  const place = (rule: NormalizeRule): number =>
    "replace" in rule ? ORDER.indexOf(rule.replace) : ORDER.length;
  return joined.toSorted((one, other) => place(one) - place(other));
}

function subjectOf(rule: NormalizeRule): string {
  return "replace" in rule ? rule.replace : "ignore" in rule ? `ignore ${rule.ignore}` : JSON.stringify(rule);
}

const covers = (joined: NormalizeRule, rule: NormalizeRule): boolean => subjectOf(joined) === subjectOf(rule);

/** Accepts rules one after the other, each on what the ones before left, unless different requests would become one. */
function acceptRules(
  proposed: readonly NormalizeRule[],
  {
    recordings,
    others,
  }: {
    readonly recordings: readonly RuledRecording[];
    /** Missed calls that ask something else than their nearest recordings, whatever the rules are. */
    readonly others: readonly KeyedRequest[];
  },
  compile: CompilePattern,
) {
  const start = (request: KeyedRequest, entry?: string): FollowedRequest => {
    const text = comparedText(request);
    return { entry, request, text, before: text };
  };
  let recorded = recordings.map(({ request, entry }) => start(request, entry));
  let missed = others.map((request) => start(request));
  const rules: NormalizeRule[] = [];
  const refused: RefusedRule[] = [];
  for (const rule of proposed) {
    const normalize = compileRules([rule], compile);
    // Most rules leave most requests as they are.
    const apply = (one: FollowedRequest): FollowedRequest => {
      const request = normalizeRequest(one.request, normalize);
      return request.body === one.request.body ? one : { ...one, request, text: comparedText(request) };
    };
    const next = { recorded: recorded.map(apply), missed: missed.map(apply) };
    const pair = findMerged(next.recorded, next.missed);
    if (pair !== undefined) refused.push({ rule, recording: pair[0], other: pair[1] });
    else {
      rules.push(rule);
      ({ recorded, missed } = next);
    }
  }
  const changed = recorded.flatMap(({ entry, before, text }) => (text === before ? [] : [entry]));
  return { rules, refused, changed };
}

interface FollowedRequest {
  readonly entry: string | undefined;
  readonly request: KeyedRequest;
  /** Its text for comparison, and the one without the rules. */
  readonly text: string;
  readonly before: string;
}

/** Entries of two recordings, or of one and a missed call, that differed before and do not now. */
function findMerged(
  recorded: readonly FollowedRequest[],
  missed: readonly FollowedRequest[],
): readonly [recording: string, other: string | undefined] | undefined {
  const firsts = new Map<string, FollowedRequest>();
  for (const one of [...recorded, ...missed]) {
    const first = firsts.get(one.text);
    if (first?.entry !== undefined && first.before !== one.before) return [first.entry, one.entry];
    if (first === undefined && one.entry !== undefined) firsts.set(one.text, one);
  }
  return undefined;
}

/** Distinguishes requests under rules; for comparing only. */
export function createTextUnder(
  rules: readonly NormalizeRule[],
  compile: CompilePattern,
): (request: KeyedRequest) => string {
  const normalize = compileRules(rules, compile);
  return (request) => comparedText(normalizeRequest(request, normalize));
}

function comparedText(request: KeyedRequest): string {
  const { provider, operation, method, path, body } = request;
  const text = body.kind === "json" ? writeCanonicalJson(body.tree) : body.kind;
  return JSON.stringify([provider, operation, method, path, ...listKeyHeaders(request)]) + text;
}

function leftPlaces(
  cases: readonly MissedCase[],
  isCovered: (place: PlaceProposal) => boolean,
): readonly LeftPlace[] {
  const left = cases.flatMap(({ places, times }) =>
    places.filter((one) => !isCovered(one)).map(({ place, varies }) => ({ place, varies, times })),
  );
  return groupBy(left, ({ place, varies }) => `${place} ${varies}`).flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    return [{ ...first, misses: same.reduce((sum, { times }) => sum + times, 0) }];
  });
}
