/** So many at once use what the system has, and leave some of its files and memory to others. */
const AT_ONCE = 32;

/**
 * Does something with every item, so many at a time, and gives what came of each, in their order. Whoever is done takes
 * the next item: nobody waits for the slowest. After a failure none is begun any more.
 */
export async function inPortions<T, R>(
  items: readonly T[],
  take: (item: T) => Promise<R>,
  atOnce = AT_ONCE,
): Promise<readonly R[]> {
  const results: R[] = [];
  const rest = inOrder(items);
  const work = async (): Promise<void> => {
    for (const [at, item] of rest) results[at] = await take(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
  return results;
}

/** Whoever leaves a loop over it ends it for all. */
function* inOrder<T>(items: readonly T[]): Generator<readonly [number, T]> {
  yield* items.entries();
}
