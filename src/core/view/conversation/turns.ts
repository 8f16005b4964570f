import type { TurnFacts } from "./turn-facts.ts";
import { addTo } from "../../base/group-by.ts";

/** A call as one step of a conversation. */
export interface ConversationTurn<T> {
  readonly call: T;
  /** 1-based position in its conversation; turns of parallel branches have the same numbers. */
  readonly number: number;
}

/** Turns that each continue the previous one, up to the turn that several calls continue. */
export interface Chain<T> {
  /** At least one. */
  readonly turns: readonly [ConversationTurn<T>, ...ConversationTurn<T>[]];
  /** The continuations of the last turn if there are several; otherwise empty. */
  readonly branches: readonly Chain<T>[];
}

/**
 * Groups calls, which are in the order in which they were made, into conversations. A call continues another call if
 * its messages begin with that call's request and response, or if it contains that call's id. If several calls match,
 * the longest one is used, then the latest one before it. A call without facts, whose file cannot be read, forms a
 * separate conversation. Takes roughly linear time.
 */
export function buildChains<T>(
  calls: readonly T[],
  factsOf: (call: T) => TurnFacts | undefined,
): readonly Chain<T>[] {
  const facts = calls.map(factsOf);
  const continued = parentsOf(facts);
  const next = new Map<number | undefined, number[]>();
  for (const [at, parent] of continued.entries()) addTo(next, parent, at);
  return (next.get(undefined) ?? []).map((start) => chainFrom(start, 1, { calls, next }));
}

interface Forest<T> {
  readonly calls: readonly T[];
  readonly next: ReadonlyMap<number | undefined, readonly number[]>;
}

/** Uses a loop instead of recursion for turns, because a conversation can have thousands of them. */
function chainFrom<T>(start: number, first: number, { calls, next }: Forest<T>): Chain<T> {
  const turnAt = (at: number, number: number): ConversationTurn<T> => ({ call: calls[at] as T, number });
  const turns: [ConversationTurn<T>, ...ConversationTurn<T>[]] = [turnAt(start, first)];
  let following = next.get(start) ?? [];
  while (following.length === 1) {
    const [only = 0] = following;
    turns.push(turnAt(only, first + turns.length));
    following = next.get(only) ?? [];
  }
  const number = first + turns.length;
  return { turns, branches: following.map((at) => chainFrom(at, number, { calls, next })) };
}

/** Returns, for each call, the index of the call that it continues. */
function parentsOf(facts: readonly (TurnFacts | undefined)[]): readonly (number | undefined)[] {
  const byEnd = placesBy(facts, ({ ends }) => ends);
  const byId = placesBy(facts, ({ ids }) => ids);
  const parents: (number | undefined)[] = [];
  for (const [at, one] of facts.entries()) parents.push(one && parentOf(at, one, { byEnd, byId }));
  return parents.map((parent, at) => (leadsBack(at, parents) ? undefined : parent));
}

interface Places {
  readonly byEnd: ReadonlyMap<number, readonly number[]>;
  readonly byId: ReadonlyMap<string, readonly number[]>;
}

function parentOf(at: number, { after, begins }: TurnFacts, { byEnd, byId }: Places): number | undefined {
  // If the provider stores the conversation, the call refers to it by id and contains only the new messages.
  const named = after === undefined ? undefined : lastBefore(at, byId.get(after) ?? []);
  if (named !== undefined) return named;
  for (const begin of begins.toReversed()) {
    const others = byEnd.get(begin) ?? [];
    const parent = lastBefore(at, others) ?? others[0];
    if (parent !== undefined && parent !== at) return parent;
  }
  return undefined;
}

const lastBefore = (at: number, places: readonly number[]): number | undefined =>
  places.findLast((place) => place < at);

function placesBy<K>(
  facts: readonly (TurnFacts | undefined)[],
  keysOf: (facts: TurnFacts) => readonly K[],
): ReadonlyMap<K, readonly number[]> {
  const places = new Map<K, number[]>();
  for (const [at, one] of facts.entries()) {
    for (const key of one ? new Set(keysOf(one)) : []) addTo(places, key, at);
  }
  return places;
}

/**
 * Returns whether a call continues itself through other calls, which edited files can cause. Every cycle contains a
 * call whose parent is later than the call, so only those are checked.
 */
function leadsBack(start: number, parents: readonly (number | undefined)[]): boolean {
  let at = parents[start];
  if (at === undefined || at < start) return false;
  for (let steps = 0; at !== undefined && steps < parents.length; steps += 1) {
    if (at === start) return true;
    at = parents[at];
  }
  return false;
}
