/** So many at once use what the system has, and leave some of its files and memory to others. */
const AT_ONCE = 32;

/** Does something with every item, a portion of them at a time, and gives what came of each, in their order. */
export async function inPortions<T, R>(
  items: readonly T[],
  take: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(take))));
  return results;
}
