/** How many items are processed at once: uses the system well without taking all of its file handles and memory. */
const AT_ONCE = 32;

/**
 * Processes all items with limited concurrency and returns the results in order. The next item starts as soon as one
 * finishes. After a failure, no further item starts.
 */
export async function processInPortions<T, R>(
  items: readonly T[],
  take: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const rest = inOrder(items);
  const work = async (): Promise<void> => {
    for (const [at, item] of rest) results[at] = await take(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, items.length) }, work));
  return results;
}

/** Yields items with their index. All loops share one generator, so that a failure in one ends the others. */
function* inOrder<T>(items: readonly T[]): Generator<readonly [number, T]> {
  yield* items.entries();
}
