import type { KeyedRequest } from "../key/key.ts";
import { featuresOf, type Features } from "./features.ts";
import { findCollisionsAt } from "./find-collisions-at.ts";
import { createPartsTable } from "./parts-table.ts";
import { createPostings, type Postings } from "./postings.ts";
import { createScopes, type Scope } from "./scopes.ts";

/** Finds the recorded request that is most like an asked one. In memory only; holds hashes, no text. */
export interface NearestIndex {
  /** Adds a request under an id of the caller's; an id that is there already is replaced. */
  add(id: string, request: KeyedRequest): void;
  /** As `add`, of a request whose features are known. */
  addKnown(id: string, known: KnownRequest): void;
  remove(id: string): void;
  /** The nearest of the same provider and operation; undefined where there is none of them at all. */
  find(request: KeyedRequest): NearestMatch | undefined;
  /** The nearest and those that have most in common with it besides, the nearest first. */
  alike(request: KeyedRequest): readonly NearestMatch[];
  /**
   * Ids of requests of the same provider and operation that seem to be the same but for what a JSON pointer leads into,
   * in pairs; not all where there are many.
   */
  collisionsAt(request: KeyedRequest, pointer: string): readonly string[];
  /** Ids of all requests of the same provider and operation. */
  all(request: KeyedRequest): readonly string[];
}

export interface KnownRequest {
  readonly provider: string;
  readonly operation: string;
  readonly features: Features;
}

export interface NearestMatch {
  readonly id: string;
  /** From 0 (nothing in common) to 1 (nothing known that differs). */
  readonly score: number;
}

interface Document {
  readonly id: string;
  readonly scope: Scope;
  readonly features: Features;
}

/** So many postings are looked at, the rarest features first, and so many documents compared in full. */
const VISITS = 20_000;
const SHORT_LIST = 48;
/** What counts on top of what two requests share in all. */
const SAME = { lastUser: 0.5, system: 0.15, model: 0.1 };

/** Made for 100,000 recordings: about two kilobytes each, and a search looks at a few of them only. */
export function createNearestIndex(): NearestIndex {
  const documents: (Document | undefined)[] = [];
  const numbers = new Map<string, number>();
  const scopes = createScopes();
  const vacant: number[] = [];
  const postings = createPostings();
  const table = createPartsTable();

  const remove = (id: string): void => {
    const number = numbers.get(id);
    const document = number === undefined ? undefined : documents[number];
    if (number === undefined || document === undefined) return;
    postings.remove(number, document.features.hashes);
    table.remove(number);
    document.scope.remove(number);
    numbers.delete(id);
    documents[number] = undefined;
    vacant.push(number);
  };

  const addKnown = (id: string, { features, ...asked }: KnownRequest): void => {
    remove(id);
    const number = vacant.pop() ?? documents.length;
    const scope = scopes(asked);
    documents[number] = { id, scope, features };
    numbers.set(id, number);
    scope.add(number);
    postings.add(number, features.hashes);
    table.set(number, features.parts);
  };

  const near = (request: KeyedRequest): Near => {
    const features = featuresOf(request);
    const scope = scopes(request);
    if (scope.all.size === 0) return { features, likely: [], weigh: () => 0 };
    const weigh = weighing(scope.all, postings);
    const scores = scoresOf(features.hashes, postings, weigh);
    const listed = best(scores, (number) => documents[number]?.scope === scope);
    const likely = listed.length > 0 ? listed : firstOf(scope.all, SHORT_LIST);
    return { features, likely: likely.flatMap((number) => documents[number] ?? []), weigh };
  };

  const idsOf = (some: readonly number[]) => some.flatMap((number) => documents[number]?.id ?? []);

  return {
    add: (id, request) => addKnown(id, { ...request, features: featuresOf(request) }),
    addKnown,
    remove,
    alike: (request) => rank(near(request)),
    find: (request) => rank(near(request))[0],
    collisionsAt: (request, pointer) =>
      idsOf(scopes(request).collisionsAt(pointer, (all) => findCollisionsAt(all, table, pointer))),
    all: (request) => idsOf([...scopes(request).all]),
  };
}

/** A request, those that may be most like it, and what their features tell among all of its kind. */
interface Near {
  readonly features: Features;
  readonly likely: readonly Document[];
  readonly weigh: (feature: number) => number;
}

function rank({ features: asked, likely, weigh }: Near): readonly NearestMatch[] {
  const weights = new Map<number, number>();
  const weighOnce = (feature: number): number => {
    const known = weights.get(feature) ?? weigh(feature);
    weights.set(feature, known);
    return known;
  };
  const matches = likely.map(({ id, features }) => ({ id, score: likeness(asked, features, weighOnce) }));
  return matches.sort((a, b) => b.score - a.score);
}

/** What is rare among these tells more. */
function weighing(all: ReadonlySet<number>, postings: Postings): (feature: number) => number {
  return (feature) => Math.log(1 + all.size / Math.max(1, postings.count(feature)));
}

/** What documents share with a request, the rarest features first, by number; a feature of many tells of some of them. */
function scoresOf(
  hashes: Uint32Array,
  postings: Postings,
  weigh: (feature: number) => number,
): ReadonlyMap<number, number> {
  const rarestFirst = Array.from(hashes).sort((a, b) => postings.count(a) - postings.count(b));
  const scores = new Map<number, number>();
  let visits = 0;
  for (const feature of rarestFirst) {
    if (visits > VISITS) break;
    const weight = weigh(feature);
    visits += postings.each(feature, (number) => void scores.set(number, (scores.get(number) ?? 0) + weight));
  }
  return scores;
}

/** The highest of those that are wanted, the latest first among equals. */
function best(scores: ReadonlyMap<number, number>, isWanted: (number: number) => boolean): readonly number[] {
  const listed: { readonly number: number; readonly score: number }[] = [];
  for (const [number, score] of scores) {
    const last = listed.length < SHORT_LIST ? undefined : listed.at(-1);
    if (last !== undefined && (score < last.score || (score === last.score && number < last.number)))
      continue;
    if (!isWanted(number)) continue;
    if (last !== undefined) listed.pop();
    let at = listed.length;
    for (; at > 0; at -= 1) {
      const before = listed[at - 1];
      if (before && (before.score > score || (before.score === score && before.number > number))) break;
    }
    listed.splice(at, 0, { number, score });
  }
  return listed.map(({ number }) => number);
}

function firstOf(all: ReadonlySet<number>, count: number): readonly number[] {
  const first: number[] = [];
  for (const number of all) {
    if (first.length === count) break;
    first.push(number);
  }
  return first;
}

/** The share of what two requests have in common, rare things counting more, and what matters most on top. */
function likeness(asked: Features, recorded: Features, weigh: (feature: number) => number): number {
  let common = 0;
  let every = 0;
  let [i, j] = [0, 0];
  while (i < asked.hashes.length || j < recorded.hashes.length) {
    const a = asked.hashes[i] ?? Infinity;
    const b = recorded.hashes[j] ?? Infinity;
    const weight = weigh(Math.min(a, b));
    every += weight;
    if (a === b) common += weight;
    if (a <= b) i += 1;
    if (b <= a) j += 1;
  }
  let score = every === 0 ? 1 : common / every;
  let most = 1;
  for (const name of ["lastUser", "system", "model"] as const) {
    most += SAME[name];
    if (asked[name] === recorded[name]) score += SAME[name];
  }
  return score / most;
}
