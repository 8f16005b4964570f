import type { RowState } from "../../core/view/row.ts";

/** A filter for calls. A call must match one value of each facet. */
export interface CallFilter {
  /** Lower-case. A call must contain all of them. */
  readonly words: readonly string[];
  readonly states: readonly RowState[];
  /** Lower-case beginnings or parts, as in `FACETS`. */
  readonly providers: readonly string[];
  readonly models: readonly string[];
  readonly tests: readonly string[];
}

/** The facts of a call that a filter uses. */
interface Filterable {
  /** Undefined for findings that are not in a recording's state. Words, tests, and providers still find them. */
  readonly state: RowState | undefined;
  readonly provider: string;
  readonly model: string | undefined;
  /** Lower-case file and titles of the tests that it belongs to. */
  readonly tests: readonly string[];
  /** Whether it contains a lower-case word; undefined until it is read. */
  readonly contains: (word: string) => boolean | undefined;
}

const STATES: readonly RowState[] = ["recorded", "new", "missing", "made-up", "stale", "broken"];
const TERM = /(?:(\w+):)?(?:"([^"]*)"?|(\S*))/gu;

/**
 * Parses the typed text: words, "several words", and facets (`state:new`, `provider:openai`, `model:gpt`,
 * `test:"answers in"`). Unknown facets are searched for as text. Never fails, because people type it letter by letter.
 */
export function parseFilter(text: string): CallFilter {
  const filter: FilterParts = { words: [], states: [], providers: [], models: [], tests: [] };
  for (const [whole, facet, quoted, bare] of text.toLowerCase().matchAll(TERM)) {
    const value = quoted ?? bare ?? "";
    if (facet === undefined) push(filter.words, value);
    else if (facet === "state")
      filter.states.push(...STATES.filter((state) => value !== "" && state.startsWith(value)));
    else if (facet === "provider") push(filter.providers, value);
    else if (facet === "model") push(filter.models, value);
    else if (facet === "test") push(filter.tests, value);
    else push(filter.words, whole.replaceAll('"', ""));
  }
  return filter;
}

interface FilterParts {
  readonly words: string[];
  readonly states: RowState[];
  readonly providers: string[];
  readonly models: string[];
  readonly tests: string[];
}

function push(values: string[], value: string): void {
  if (value !== "") values.push(value);
}

export function isFiltering(filter: CallFilter): boolean {
  return Object.values(filter).some((values: readonly unknown[]) => values.length > 0);
}

/** Whether a call is shown; undefined if it has to be read first. */
export function passesFilter(filter: CallFilter, call: Filterable): boolean | undefined {
  if (!isOneOf(filter.states, (state) => state === call.state)) return false;
  if (!isOneOf(filter.providers, (provider) => call.provider.toLowerCase().startsWith(provider)))
    return false;
  if (!isOneOf(filter.models, (model) => call.model?.toLowerCase().includes(model) === true)) return false;
  if (!isOneOf(filter.tests, (part) => call.tests.some((test) => test.includes(part)))) return false;
  let known: boolean | undefined = true;
  for (const word of filter.words) {
    const contains = call.contains(word);
    if (contains === false) return false;
    known = known && contains;
  }
  return known;
}

/**
 * Whether a lower-case word names a recording's file by its path or by the beginning of its key. Only the beginning
 * counts, because any two digits occur in every fourth key.
 */
export function isNameOfFile(entry: string, word: string): boolean {
  if (word.includes("/") || word.endsWith(".json")) return entry.includes(word);
  const beginning = word.replace(/^sha256:/u, "").replace(/…$/u, "");
  return beginning.length >= SHORTEST_KEY && entry.slice(entry.lastIndexOf("/") + 1).startsWith(beginning);
}

/** Minimum digits of a key. */
const SHORTEST_KEY = 4;

function isOneOf<T>(values: readonly T[], matches: (value: T) => boolean): boolean {
  return values.length === 0 || values.some(matches);
}

/** Writes a facet as a person types it: quoted if its value has spaces. */
export function writeFacet(name: string, value: string): string {
  return /\s/u.test(value) ? `${name}:"${value.replaceAll('"', "")}"` : `${name}:${value}`;
}
