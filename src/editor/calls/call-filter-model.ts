import type { RowState } from "../../core/view/row.ts";

/** What part of the calls is shown. Facets narrow one another; values of one facet widen it. */
export interface CallFilter {
  /** Lower-case; all of them have to be there. */
  readonly words: readonly string[];
  readonly states: readonly RowState[];
  /** Lower-case beginnings or parts, as in `FACETS`. */
  readonly providers: readonly string[];
  readonly models: readonly string[];
  readonly tests: readonly string[];
  /** Milliseconds; it has to be older than all of them. */
  readonly ages: readonly number[];
}

/** What a filter looks at in a call. `text` answers whether a lower-case word is in it; undefined: not known yet. */
interface Filterable {
  /** Milliseconds since the epoch: the present, and when it was recorded or asked for; undefined: not known yet. */
  readonly now: number;
  readonly at: number | undefined;
  /** Undefined for what is in no state of a recording: words, tests and providers find it. */
  readonly state: RowState | undefined;
  readonly provider: string;
  readonly model: string | undefined;
  /** Lower-case file and titles of the tests that it belongs to. */
  readonly tests: readonly string[];
  readonly contains: (word: string) => boolean | undefined;
}

const STATES: readonly RowState[] = ["recorded", "new", "missing", "made-up", "stale", "broken"];
const TERM = /(?:(\w+):)?(?:"([^"]*)"?|(\S*))/gu;

/**
 * Reads what a person typed: words, "several words" and facets (`state:new`, `provider:openai`, `model:gpt`,
 * `test:"answers in"`, `older:90d`). What is no facet is looked for as it stands. Never fails: it is typed letter by letter.
 */
export function filterFromText(text: string): CallFilter {
  const filter: Growing = { words: [], states: [], providers: [], models: [], tests: [], ages: [] };
  for (const [whole, facet, quoted, bare] of text.toLowerCase().matchAll(TERM)) {
    const value = quoted ?? bare ?? "";
    if (facet === undefined) push(filter.words, value);
    else if (facet === "state")
      filter.states.push(...STATES.filter((state) => value !== "" && state.startsWith(value)));
    else if (facet === "provider") push(filter.providers, value);
    else if (facet === "model") push(filter.models, value);
    else if (facet === "test") push(filter.tests, value);
    else if (facet === "older") filter.ages.push(...agesFrom(value));
    else push(filter.words, whole.replaceAll('"', ""));
  }
  return filter;
}

interface Growing {
  readonly words: string[];
  readonly states: RowState[];
  readonly providers: string[];
  readonly models: string[];
  readonly tests: string[];
  readonly ages: number[];
}

const UNITS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
  y: 31_536_000_000,
};

/** `90d`; what is typed so far and is none yet narrows nothing. */
function agesFrom(value: string): readonly number[] {
  const [, count = "", unit = ""] = /^(\d{1,6})([hdwy])$/u.exec(value) ?? [];
  const ms = UNITS[unit];
  return ms === undefined ? [] : [Number(count) * ms];
}

function push(values: string[], value: string): void {
  if (value !== "") values.push(value);
}

export function isFiltering(filter: CallFilter): boolean {
  return Object.values(filter).some((values: readonly unknown[]) => values.length > 0);
}

/** Whether a call is shown; undefined where that is not known before it is read. */
export function passes(filter: CallFilter, call: Filterable): boolean | undefined {
  if (!isOneOf(filter.states, (state) => state === call.state)) return false;
  if (!isOneOf(filter.providers, (provider) => call.provider.toLowerCase().startsWith(provider)))
    return false;
  if (!isOneOf(filter.models, (model) => call.model?.toLowerCase().includes(model) === true)) return false;
  if (!isOneOf(filter.tests, (part) => call.tests.some((test) => test.includes(part)))) return false;
  let known: boolean | undefined = true;
  for (const age of filter.ages) {
    if (call.at === undefined) known = undefined;
    else if (call.now - call.at <= age) return false;
  }
  for (const word of filter.words) {
    const contains = call.contains(word);
    if (contains === false) return false;
    known = known && contains;
  }
  return known;
}

/**
 * Whether a lower-case word names a recording's file: its path, or the beginning of its key, as both are shown. Any two
 * digits stand somewhere in every fourth key.
 */
export function namesFile(entry: string, word: string): boolean {
  if (word.includes("/") || word.endsWith(".json")) return entry.includes(word);
  const beginning = word.replace(/^sha256:/u, "").replace(/…$/u, "");
  return beginning.length >= SHORTEST_KEY && entry.slice(entry.lastIndexOf("/") + 1).startsWith(beginning);
}

/** In digits. */
const SHORTEST_KEY = 4;

function isOneOf<T>(values: readonly T[], matches: (value: T) => boolean): boolean {
  return values.length === 0 || values.some(matches);
}

/** The filter's text with a facet put in, or taken out where it is there. */
export function toggleFacet(text: string, facet: string): string {
  const terms = [...text.matchAll(TERM)].flatMap(([whole]) => (whole === "" ? [] : [whole]));
  const without = terms.filter((term) => term.toLowerCase() !== facet.toLowerCase());
  const next = without.length < terms.length ? without : [...terms, facet];
  return next.join(" ");
}

/** A facet as it is typed: quoted where its value has spaces. */
export function facetText(name: string, value: string): string {
  return /\s/u.test(value) ? `${name}:"${value.replaceAll('"', "")}"` : `${name}:${value}`;
}
