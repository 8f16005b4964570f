import type {
  Run,
  Call,
  CallCounts,
  Disposable,
  CallGroup,
  CountedInGroup,
  GroupPlace,
  Key,
  Mode,
  Outcome,
  Settled,
  TestRef,
} from "../call/call.ts";
import type { GivenReplies, GivenReply } from "../call/given-replies.ts";
import type { RecordedReply } from "../cassette/recording.ts";
import type { Exchange } from "../match/read-request.ts";
import { getTestScope } from "../call/test-names.ts";
import { NOTHING_SPENT } from "../call/spending.ts";

/** Creates a run with empty counters. `id` names it in events; it is not its token. */
export function createRun(options: {
  readonly id: string;
  readonly mode: Mode;
  readonly startedAt?: number;
  readonly test?: TestRef;
}): Run {
  const spent = { total: NOTHING_SPENT };
  return { ...options, overrides: new Map(), counts: new CountedCalls(), firstRecorded: new Set(), spent };
}

/** Resets the take counters and the spending of a run, as for a new run of the tests. The token stays the same. */
export function beginStretch(run: Run): void {
  run.counts = new CountedCalls();
  run.firstRecorded.clear();
  run.spent = { total: NOTHING_SPENT };
}

export class CountedCalls implements CallCounts {
  readonly numbered = new Map<string, number>();
  readonly #byName = new Map<string, NumbersOfName>();

  count(name: string): number {
    return this.#numbers(name).takeLowest();
  }

  countInGroup(name: string, place: GroupPlace): CountedInGroup {
    return this.#numbers(name).takeInGroup(place);
  }

  free(name: string, number: number): void {
    this.#numbers(name).giveBack(number);
  }

  #numbers(name: string): NumbersOfName {
    let numbers = this.#byName.get(name);
    if (numbers === undefined) this.#byName.set(name, (numbers = new NumbersOfName()));
    return numbers;
  }
}

class NumbersOfName {
  #last = 0;
  /** Unused numbers up to the last one, lowest first: returned, or reserved for calls of a group that arrive later. */
  #free: number[] = [];
  readonly #groups = new Map<
    string,
    { readonly group: CallGroup; readonly numberAt: (position: number) => number }
  >();

  takeLowest(): number {
    return this.#take(this.#lowest());
  }

  /** Numbers the calls of a group by position, using the numbers that were free when the first of them arrived. */
  takeInGroup({ id, position }: GroupPlace): CountedInGroup {
    let known = this.#groups.get(id);
    if (known === undefined) {
      const [last, free] = [this.#last, [...this.#free]];
      const numberAt = (at: number): number => free[at - 1] ?? last + at - free.length;
      this.#groups.set(id, (known = { group: { before: numberAt(1) - 1 }, numberAt }));
    }
    const number = known.numberAt(position);
    const isOpen = number > this.#last || this.#free.includes(number);
    return { ordinal: this.#take(isOpen ? number : this.#lowest()), group: known.group };
  }

  giveBack(number: number): void {
    this.#free = [...this.#free, number].sort((a, b) => a - b);
  }

  #lowest(): number {
    return this.#free[0] ?? this.#last + 1;
  }

  #take(number: number): number {
    if (number <= this.#last) this.#free = this.#free.filter((free) => free !== number);
    else while (this.#last < number) if ((this.#last += 1) < number) this.#free.push(this.#last);
    return number;
  }
}

/** Gets reports of the calls of a run. */
export interface CallWatcher {
  arrive(call: Call): void;
  settle(call: Call, outcome: Outcome): void;
}

const watchers = new WeakMap<Run, Set<CallWatcher>>();

/** Reports each call of a run when it arrives and when its answer has ended. */
export function watchCalls(run: Run, watcher: CallWatcher): Disposable {
  const known = watchers.get(run) ?? new Set();
  watchers.set(run, known.add(watcher));
  return {
    dispose() {
      known.delete(watcher);
      if (known.size === 0) watchers.delete(run);
    },
  };
}

/** Reports the outcome of a call to those who watch its run. */
export function reportOutcome(call: Call, settled: Promise<Settled>): void {
  const known = watchers.get(call.run);
  if (known === undefined) return;
  void settled.then(({ outcome }) => known.forEach((watcher) => watcher.settle(call, outcome)));
}

/** Counts a call and returns its 1-based position among identical calls of its scope. */
export function countCall(call: Call, key: Key): Pick<CountedInGroup, "ordinal"> & Partial<CountedInGroup> {
  watchers.get(call.run)?.forEach((watcher) => watcher.arrive(call));
  const { counts } = call.run;
  const name = scopeKey(key, call);
  return call.groupPlace === undefined
    ? { ordinal: counts.count(name) }
    : counts.countInGroup(name, call.groupPlace);
}

/** Returns the number of a call that will be repeated: the next identical call of its scope gets it. */
export function giveBackNumber(counts: CallCounts, { call, key, ordinal }: NumberedCall): void {
  counts.free(scopeKey(key, call), ordinal);
}

interface NumberedCall {
  readonly call: CountedCall;
  readonly key: Key;
  readonly ordinal: number;
}

/**
 * Returns the key itself outside tests and cassettes, which avoids building a string for each call. A key has no line
 * break, so it cannot equal a scoped one.
 */
export function scopeKey(key: Key, { test, cassette }: CountedCall): string {
  const name = test === undefined ? key : `${getTestScope(test)}\n${key}`;
  return cassette === undefined ? name : `${cassette}\n${name}`;
}

/** Identical calls are counted per test, and per cassette if they name one. */
type CountedCall = Pick<Call, "test" | "cassette">;

/**
 * Whether a call directly follows the last call that the run numbered, or is in a group with a numbered call. No take
 * has a higher number then, so the folder, which changes with every recording, is not read again for each of many
 * identical calls.
 */
export function followsNumbered({ key, ordinal, group, call, trial }: Exchange): boolean {
  if (group?.recorded !== undefined && ordinal > group.recorded.ordinals) return true;
  return trial === undefined && ordinal > 1 && call.run.counts.numbered.get(key) === ordinal - 1;
}

/** A run keeps this many replies, and this many bytes of them and their requests. Older ones are dropped. */
const MOST_REPLIES = 2_000;
const MOST_REPLY_BYTES = 32 * 1_048_576;

class KeptReplies implements GivenReplies {
  list: GivenReply[] = [];
  total = 0;
  #sizeBytes = 0;

  add(reply: GivenReply): void {
    this.list.push(reply);
    this.total += 1;
    this.#sizeBytes += sizeOf(reply);
    while (this.list.length > MOST_REPLIES || (this.#sizeBytes > MOST_REPLY_BYTES && this.list.length > 1)) {
      const dropped = this.list.shift();
      if (dropped !== undefined) this.#sizeBytes -= sizeOf(dropped);
    }
  }
}

const sizeOf = ({ request, reply }: GivenReply): number => request.byteLength + reply.byteLength;

interface NotedReply extends Pick<GivenReply, "entry" | "isFresh"> {
  readonly reply: Pick<RecordedReply, "body" | "headers">;
}

/** Notes a recorded reply that a run gets, for later requests that name its ids. */
export function noteReply(
  { call, provider, links }: Exchange,
  { entry, reply: { body: reply, headers }, isFresh }: NotedReply,
): void {
  const { run, method, path, body: request, test } = call;
  const scope = test === undefined ? "" : getTestScope(test);
  const kept = (run.replies ??= new KeptReplies());
  if (kept instanceof KeptReplies)
    kept.add({
      entry,
      provider: provider.name,
      method,
      path,
      request,
      reply,
      headers,
      scope,
      links,
      isFresh,
    });
}
