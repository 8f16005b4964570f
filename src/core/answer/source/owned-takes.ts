import { localize } from "../../base/localize.ts";
import type { TestRef } from "../../call/call.ts";
import { findCassettesNamed, findCassettesOfTest } from "../../cassette/cassette-of-test.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import { isTapedeckError } from "../../base/errors.ts";

/** The owners of the takes of a key, if cassettes of other recorders have different takes. */
export interface OwnedTakes {
  /** Returns the take of the `ordinal`-th call of an owner; undefined if it is the take with this number. */
  choose(owner: TakeOwner, ordinal: number, plain: number): OwnTake | undefined;
}

/** The origin of a call. A named cassette takes precedence over the test. */
export interface TakeOwner {
  readonly test: TestRef | undefined;
  readonly cassette: string | undefined;
}

export interface OwnTake {
  /** Index among all takes. */
  readonly index: number;
  /** Number of takes of the test if the call was made more often, otherwise 0. */
  readonly runOut: number;
  /** Why another take may have been meant. */
  readonly reason?: string;
}

const known = new WeakMap<object, OwnedTakes | null | Promise<OwnedTakes | null>>();

/**
 * Finds the owners of takes. Each list is read once: the same `list` object means the same takes. Null if they have at
 * most one owner.
 */
export function findOwners(
  list: object,
  store: CassetteStore,
  entries: () => readonly string[],
): OwnedTakes | null | Promise<OwnedTakes | null> {
  const found = known.get(list);
  if (found !== undefined) return found;
  const reading = readOwners(store, entries()).then((owned) => {
    known.set(list, owned);
    return owned;
  });
  known.set(list, reading);
  return reading;
}

interface Take {
  readonly index: number;
  readonly cassettes: readonly string[];
  readonly answer: string;
}

async function readOwners(store: CassetteStore, entries: readonly string[]): Promise<OwnedTakes | null> {
  const takes: Take[] = [];
  for (const [index, entry] of entries.entries()) {
    try {
      const { cassettes = [], reply } = await store.read(entry);
      const answer = `${reply.status} ${reply.contentType ?? ""}\n${new TextDecoder("latin1").decode(reply.body)}`;
      takes.push({ index, cassettes, answer });
    } catch (error) {
      // The replay of a broken take reports it.
      if (!isTapedeckError(error)) throw error;
    }
  }
  const all = [...new Set(takes.flatMap(({ cassettes }) => cassettes))];
  if (all.length < 2) return null;
  return ownedTakes(takes, all);
}

function ownedTakes(takes: readonly Take[], all: readonly string[]): OwnedTakes {
  const numbers = numberAnswers(takes);
  const of = (cassette: string): readonly number[] =>
    takes.filter(({ cassettes }) => cassettes.includes(cassette)).map(({ index }) => index);
  const indexes = new Map(all.map((cassette) => [cassette, of(cassette)]));
  /** Whether each of these cassettes has this answer at this point. */
  const agree = (cassettes: readonly string[], ordinal: number, index: number): boolean =>
    cassettes.every((cassette) => {
      const own = indexes.get(cassette) ?? [];
      return numbers.get(own[Math.min(ordinal, own.length) - 1] ?? -1) === numbers.get(index);
    });
  return {
    choose({ test, cassette }, ordinal, plain) {
      const named = cassette === undefined ? [] : findCassettesNamed(cassette, all);
      if (cassette !== undefined && named.length === 0)
        return { index: plain, runOut: 0, reason: notIn(cassette) };
      const mine = test === undefined || named.length > 0 ? named : findCassettesOfTest(test, all);
      if (mine.length === 0)
        return agree(all, ordinal, plain)
          ? undefined
          : { index: plain, runOut: 0, reason: unknownCassette() };
      const own = [...new Set(mine.flatMap((owner) => indexes.get(owner) ?? []))].sort((a, b) => a - b);
      const index = own[Math.min(ordinal, own.length) - 1] ?? plain;
      const runOut = ordinal > own.length && own.length > 1 ? own.length : 0;
      return agree(mine, ordinal, index) ? { index, runOut } : { index, runOut, reason: unknownCassette() };
    },
  };
}

const unknownCassette = (): string =>
  localize(
    "A call was imported from several cassettes with different responses, and the cassette of its test is unknown, so its takes are replayed in order. Name the cassette with --cassette NAME for a run, or with the header x-tapedeck-cassette for a call.",
  );

const notIn = (cassette: string): string =>
  localize(
    'A call was imported from cassettes other than "{0}", so its takes are replayed in order. Check the name.',
    cassette,
  );

/** Takes with the same answer get the same number; the texts themselves need not be kept. */
function numberAnswers(takes: readonly Take[]): ReadonlyMap<number, number> {
  const answers = new Map<string, number>();
  return new Map(
    takes.map(({ index, answer }) => {
      const number = answers.get(answer) ?? answers.size;
      answers.set(answer, number);
      return [index, number];
    }),
  );
}
