import {
  isJsonArray,
  isJsonNumber,
  isJsonObject,
  type JsonTree,
  extendPointer,
} from "../../base/json/json-tree.ts";
import { writeCanonicalJson, listKeyHeaders, normalizeAddress } from "../key/key.ts";
import { type KeyedRequest } from "../../cassette/recorded-request.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";
import type { CompilePattern } from "./patterns.ts";
import { createNumbering } from "./rules.ts";
import { findMoments } from "../origins/moments.ts";
import type { NormalizeRule } from "../../call/rule.ts";

/** A place at which a missed call differs from its nearest recording. */
export interface PlaceProposal {
  /** A JSON pointer in which `*` is any index; or "method", "path", "query", "header", or "body" as a whole. */
  readonly place: string;
  /** Rules under which both have the same there; empty where none is proposed. */
  readonly rules: readonly NormalizeRule[];
  /** Whether two runs of the same code differ there. */
  readonly varies: boolean;
  /** Whether the value can be expected to change on every run: it did, or it is an id, a date, or the like. */
  readonly isVolatile: boolean;
}

/** When a recording was made and when the call beside it came, in milliseconds since the epoch. */
export interface Moments {
  readonly recordedAt: number;
  readonly at: number;
}

export interface ProposalParts {
  readonly compile: CompilePattern;
  /** Without them, every date and time counts as that of its call. */
  readonly moments?: Moments | undefined;
  /** The same call of another run of the same code. */
  readonly again?: KeyedRequest | undefined;
}

/**
 * Proposes rules for each differing field separately: named patterns if they cover the whole difference; otherwise a
 * rule that ignores the field, if it is a setting or an id inside an object; otherwise nothing.
 */
export function proposeRules(
  recorded: KeyedRequest,
  requested: KeyedRequest,
  parts: ProposalParts,
): readonly PlaceProposal[] {
  const { again } = parts;
  const varying = new Set(again && differingPlaces(requested, again).map(({ pointer }) => pointer));
  const scope = { provider: [requested.provider], operation: [requested.operation] };
  return differingPlaces(recorded, requested).map((place) => {
    const varies = varying.has(place.pointer);
    const rules = rulesFor(place, varies ? { ...parts, moments: undefined } : parts, varies);
    return {
      place: anyIndex(place.pointer),
      rules: rules.map((rule) => ({ ...rule, ...scope })),
      varies,
      isVolatile:
        varies || ID.test(place.pointer) || (rules.length > 0 && rules.every((rule) => "replace" in rule)),
    };
  });
}

/** Another call has the same in another message. */
const anyIndex = (pointer: string): string => pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*");

function rulesFor(place: DifferingPlace, parts: ProposalParts, varies: boolean): readonly NormalizeRule[] {
  const { pointer, recorded, requested } = place;
  const at = anyIndex(pointer);
  if (typeof recorded === "string" && typeof requested === "string") {
    const patterns = coveringPatterns(recorded, requested, parts);
    if (patterns.length > 0) return patterns.map((replace) => ({ replace, at }));
  }
  return isIgnorable(place, varies) ? [{ ignore: at }] : [];
}

const PATTERNS = Object.keys(NAMED_PATTERNS);
/** The named patterns of dates and times. */
const OF_TIME: ReadonlySet<string> = new Set(["$isoDate", "$date", "$clock", "$epoch"]);

/** The named patterns without which two texts differ, and with which they do not; none where there are no such. */
function coveringPatterns(
  recorded: string,
  requested: string,
  { compile, moments }: ProposalParts,
): readonly string[] {
  const replaceAll = (names: readonly string[], text: string): string =>
    names.reduce((left, name) => {
      const { by, numbered: isNumbered = false } = NAMED_PATTERNS[name] ?? { by: "" };
      return compile(name).replaceIn(left, isNumbered ? createNumbering(by) : by);
    }, text);
  const isCovering = (names: readonly string[]): boolean =>
    replaceAll(names, recorded) === replaceAll(names, requested);
  const isUsable = (name: string): boolean => {
    const [before, now] = [foundBy(compile(name), recorded), foundBy(compile(name), requested)];
    if (before.length === 0 && now.length === 0) return false;
    return !OF_TIME.has(name) || moments === undefined || isPresent([before, now], moments);
  };
  const usable = PATTERNS.filter(isUsable);
  if (!isCovering(usable)) return [];
  return usable.reduceRight<readonly string[]>((needed, name) => {
    const others = needed.filter((other) => other !== name);
    return isCovering(others) ? others : needed;
  }, usable);
}

function foundBy(pattern: ReturnType<CompilePattern>, text: string): readonly string[] {
  const found: string[] = [];
  pattern.replaceIn(text, (one) => {
    found.push(one);
    return "";
  });
  return found;
}

/** Whether dates and times that differ are those of the recording and of the call. */
function isPresent(
  [before, now]: readonly [readonly string[], readonly string[]],
  { recordedAt, at }: Moments,
): boolean {
  return now.every((text, index) => {
    const recorded = before[index];
    if (recorded === text || recorded === undefined) return true;
    return isOfMoment(recorded, recordedAt) && isOfMoment(text, at);
  });
}

/** Maximum time between writing a prompt and the end of its call. */
const LONGEST_CALL = 3_600_000;

/**
 * Whether a date or time is that of a moment, in UTC or on this machine. A date of history, a deadline, or a birthday is
 * not: it is what a call asks about.
 */
function isOfMoment(text: string, moment: number): boolean {
  const offset = new Intl.DateTimeFormat("en-US", { timeZoneName: "longOffset" }).format(moment);
  const [, sign = "", hours, minutes] = /GMT([+-])(\d\d):(\d\d)/.exec(offset) ?? [];
  const zones = [0, Number(`${sign}1`) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0))];
  // A weekday counts only after such words.
  return findMoments(`today: ${text}`, { since: moment - LONGEST_CALL, now: moment, zones }).length > 0;
}

/** JSON pointers of the model's input and of its tools. */
const CONVERSATION =
  /^\/(?:messages|contents|input|inputs|prompt|system|systemInstruction|system_instruction|instructions|tools|functions|texts|documents)(?:\/|$)/;
/** Ids, which are not part of a message's content. */
const ID = /(?:^|[/_-])(?:id|uuid)$|Id$/;
/**
 * Names of the model and of input fields, which count as content even if they are short, and of the field that decides
 * the format of the reply.
 */
const SAID =
  /\/(?:stream|model|content|text|texts|prompt|inputs?|inputText|query|question|message|instructions?|system|arguments)$/;
/** Maximum characters of a setting, which is at most one word. */
const SETTING = 80;

/** Whether a field may be left out of the key. The model's input never is. */
function isIgnorable({ pointer, recorded, requested, isMember }: DifferingPlace, varies: boolean): boolean {
  if (!isMember || !isSetting(recorded) || !isSetting(requested) || SAID.test(pointer)) return false;
  return varies || !CONVERSATION.test(pointer) || ID.test(pointer);
}

function isSetting(value: JsonTree | undefined): boolean {
  if (typeof value === "string") return value.length <= SETTING && !/\s/.test(value);
  return value === undefined || value === null || typeof value !== "object" || isJsonNumber(value);
}

interface DifferingPlace {
  /** A JSON pointer, or one of the words of `PlaceProposal`. */
  readonly pointer: string;
  /** Undefined where there is no value. */
  readonly recorded?: JsonTree | undefined;
  readonly requested?: JsonTree | undefined;
  /** Whether it is a member of an object. */
  readonly isMember: boolean;
}

/** The places at which two requests differ, in wire order. */
function differingPlaces(recorded: KeyedRequest, requested: KeyedRequest): readonly DifferingPlace[] {
  const [before, now] = [recorded, requested].map(({ path, provider }) => normalizeAddress(path, provider));
  const outside = [
    recorded.method !== requested.method && "method",
    before?.path !== now?.path && "path",
    before?.query !== now?.query && "query",
    headersDiffer(recorded, requested) && "header",
  ];
  const places = outside.flatMap((pointer): DifferingPlace[] =>
    pointer === false ? [] : [{ pointer, isMember: false }],
  );
  if (recorded.body.kind === "json" && requested.body.kind === "json")
    collectPlaces({ recorded: recorded.body.tree, requested: requested.body.tree }, "", places);
  else if (recorded.body.kind !== "empty" || requested.body.kind !== "empty")
    places.push({ pointer: "body", isMember: false });
  return places;
}

/** An imported recording may have no headers: then none is known to differ. */
function headersDiffer(recorded: KeyedRequest, requested: KeyedRequest): boolean {
  if (recorded.headers === undefined) return false;
  return JSON.stringify(listKeyHeaders(recorded)) !== JSON.stringify(listKeyHeaders(requested));
}

type Values = Pick<DifferingPlace, "recorded" | "requested">;

function collectPlaces(
  { recorded, requested }: Values,
  pointer: string,
  into: DifferingPlace[],
  isMember = false,
): void {
  if (recorded !== undefined && requested !== undefined) {
    if (writeCanonicalJson(recorded) === writeCanonicalJson(requested)) return;
    if (isJsonObject(recorded) && isJsonObject(requested)) {
      const [before, now] = [new Map(recorded.members), new Map(requested.members)];
      for (const name of new Set([...before.keys(), ...now.keys()])) {
        const values = { recorded: before.get(name), requested: now.get(name) };
        collectPlaces(values, extendPointer(pointer, name), into, true);
      }
      return;
    }
    if (isJsonArray(recorded) && isJsonArray(requested) && recorded.length === requested.length) {
      for (const [index, value] of recorded.entries()) {
        const values = { recorded: value, requested: requested[index] };
        collectPlaces(values, extendPointer(pointer, String(index)), into);
      }
      return;
    }
  }
  into.push({ pointer: pointer === "" ? "body" : pointer, recorded, requested, isMember });
}
