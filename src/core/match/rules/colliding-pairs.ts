/** Pairs are cheap to find and dear to look at: no more are looked for. */
export const MOST_PAIRS = 16;

/** What a request says without and with a rule: a text, or the hash of one where there are many. */
export interface Said<Words> {
  readonly now: Words;
  readonly after: Words;
}

/**
 * Those that differ now and would not under a rule: each with the first that would be as it is. Found as asked for; who
 * says nothing is left out.
 */
export function* collidingPairs<T, Words>(
  all: Iterable<T>,
  saidBy: (one: T) => Said<Words> | undefined,
): Generator<readonly [T, T], void, void> {
  const firsts = new Map<Words, readonly [T, Words]>();
  for (const one of all) {
    const said = saidBy(one);
    if (said === undefined) continue;
    const known = firsts.get(said.after);
    if (known === undefined) firsts.set(said.after, [one, said.now]);
    else if (known[1] !== said.now) yield [known[0], one];
  }
}
