import type { Key, Mode, TestRef } from "../../core/call/call.ts";
import { isRunByTests } from "../../core/call/test-names.ts";

/** The argument of the command `recordTest`: run this test in a run of its own. */
export interface RecordRequest {
  readonly test: TestRef;
  /** Default: record. */
  readonly mode?: Mode;
  /** How the next call of a key is answered, whatever the mode. */
  readonly overrides?: readonly (readonly [Key, Mode])[];
}

/**
 * How missing calls that no known test made are recorded: the keys to record when they are asked for again, and a
 * sentence for people. What MetaGPT's cache misses is recorded by MetaGPT, in the mode of its process.
 */
export function recordingLater(
  untested: readonly { readonly miss: { readonly key: Key; readonly cacheFile?: string } }[],
): { readonly keys: readonly Key[]; readonly text: string | undefined } {
  const own = untested.filter(({ miss }) => miss.cacheFile === undefined);
  const inCache = untested.length - own.length;
  const texts = [
    ...(own.length > 0 ? [whenMade(own.length)] : []),
    ...(inCache > 0 ? [inMode(inCache)] : []),
  ];
  return { keys: own.map(({ miss }) => miss.key), text: texts.length === 0 ? undefined : texts.join(" ") };
}

const whenMade = (count: number): string =>
  count === 1
    ? "No known test made this call: the next time it is made, it is recorded. Run again what makes it."
    : `No known test made ${count} of the calls: the next time they are made, they are recorded. Run again what makes them.`;

const inMode = (count: number): string =>
  `No known test made ${count === 1 ? "this call" : `${count} of the calls`} to MetaGPT's cache. Switch Tapedeck to Record, then run MetaGPT again.`;

/** Those that tests make again when they are run, and the others: of scripts, cells, prompts and nobody known. */
export function byTests<T extends { readonly miss: { readonly key: Key }; readonly test?: TestRef }>(
  calls: readonly T[],
): {
  readonly tested: readonly { readonly test: TestRef; readonly key: Key }[];
  readonly untested: readonly T[];
} {
  return {
    tested: calls.flatMap(({ test, miss }) => (test && isRunByTests(test) ? [{ test, key: miss.key }] : [])),
    untested: calls.filter(({ test }) => test === undefined || !isRunByTests(test)),
  };
}

/** One request for each test, in the order in which the tests come first. */
export function requestsByTest(
  wanted: readonly { readonly test: TestRef; readonly key: Key }[],
  as: { readonly mode: Mode; readonly override?: Mode },
): readonly RecordRequest[] {
  const byTest = new Map<string, { readonly test: TestRef; readonly keys: Set<Key> }>();
  for (const { test, key } of wanted) {
    const id = JSON.stringify([test.file, ...test.name]);
    const group = byTest.get(id) ?? { test, keys: new Set<Key>() };
    byTest.set(id, group);
    group.keys.add(key);
  }
  const { mode, override } = as;
  return [...byTest.values()].map(({ test, keys }) => ({
    test,
    mode,
    ...(override && { overrides: [...keys].map((key) => [key, override] as const) }),
  }));
}
