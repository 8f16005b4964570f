import type { KeyedRequest } from "./canonical.ts";
import { featuresOf, type Features } from "./features.ts";
import { createPostings, type Postings } from "./postings.ts";

/** Finds the recorded request that is most like an asked one. In memory only; holds hashes, no text. */
export interface NearestIndex {
  /** Adds a request under an id of the caller's; an id that is there already is replaced. */
  add(id: string, request: KeyedRequest): void;
  /** As `add`, of a request whose features are known. */
  addKnown(id: string, known: KnownRequest): void;
  remove(id: string): void;
  /** The nearest of the same provider and operation; undefined where there is none of them at all. */
  find(request: KeyedRequest): NearestMatch | undefined;
  /** The ids of those that may have most in common with it, of the same provider and operation. */
  alike(request: KeyedRequest): readonly string[];
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
  readonly scope: string;
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
  const scopes = new Map<string, Set<number>>();
  const vacant: number[] = [];
  const postings = createPostings();

  const remove = (id: string): void => {
    const number = numbers.get(id);
    const document = number === undefined ? undefined : documents[number];
    if (number === undefined || document === undefined) return;
    postings.remove(number, document.features.hashes);
    scopes.get(document.scope)?.delete(number);
    numbers.delete(id);
    documents[number] = undefined;
    vacant.push(number);
  };

  const addKnown = (id: string, { features, ...asked }: KnownRequest): void => {
    remove(id);
    const number = vacant.pop() ?? documents.length;
    const document = { id, scope: scopeOf(asked), features };
    documents[number] = document;
    numbers.set(id, number);
    const others = scopes.get(document.scope);
    if (others === undefined) scopes.set(document.scope, new Set([number]));
    else others.add(number);
    postings.add(number, features.hashes);
  };

  const near = (request: KeyedRequest): Near => {
    const features = featuresOf(request);
    const all = scopes.get(scopeOf(request));
    if (all === undefined || all.size === 0) return { features, likely: [], weigh: () => 0 };
    const weigh = weighing(all, postings);
    const listed = shortList(features.hashes, all, postings, weigh);
    return { features, likely: listed.flatMap((number) => documents[number] ?? []), weigh };
  };

  return {
    add: (id, request) => addKnown(id, { ...request, features: featuresOf(request) }),
    addKnown,
    remove,
    alike: (request) => near(request).likely.map(({ id }) => id),
    find: (request) => mostAlike(near(request)),
  };
}

/** A request, those that may be most like it, and what their features tell among all of its kind. */
interface Near {
  readonly features: Features;
  readonly likely: readonly Document[];
  readonly weigh: (feature: number) => number;
}

function mostAlike({ features: asked, likely, weigh }: Near): NearestMatch | undefined {
  let best: NearestMatch | undefined;
  for (const { id, features } of likely) {
    const score = likeness(asked, features, weigh);
    if (best === undefined || score > best.score) best = { id, score };
  }
  return best;
}

/** What is rare among these tells more. */
function weighing(all: ReadonlySet<number>, postings: Postings): (feature: number) => number {
  return (feature) => Math.log(1 + all.size / Math.max(1, postings.count(feature)));
}

function scopeOf({ provider, operation }: Pick<KeyedRequest, "provider" | "operation">): string {
  return JSON.stringify([provider, operation]);
}

/** The documents that share the most and the rarest features; any where nothing is shared. */
function shortList(
  hashes: Uint32Array,
  all: ReadonlySet<number>,
  postings: Postings,
  weigh: (feature: number) => number,
): readonly number[] {
  const rarestFirst = Array.from(hashes).sort((a, b) => postings.count(a) - postings.count(b));
  const scores = new Map<number, number>();
  let visits = 0;
  for (const feature of rarestFirst) {
    if (visits > VISITS) break;
    const weight = weigh(feature);
    for (const number of postings.documents(feature)) {
      visits += 1;
      if (all.has(number)) scores.set(number, (scores.get(number) ?? 0) + weight);
    }
  }
  if (scores.size === 0) return [...all].slice(0, SHORT_LIST);
  const best = [...scores].sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || b - a);
  return best.slice(0, SHORT_LIST).map(([number]) => number);
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
