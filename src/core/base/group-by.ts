/** Appends a value to the list of its key, and creates the list for the first one. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Groups items by key, like `Map.groupBy`, which Node 20 does not have. */
export function mapGroups<T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const lists = new Map<K, T[]>();
  for (const item of items) addTo(lists, keyOf(item), item);
  return lists;
}

/** Groups items of the same name, in the order of their first members. */
export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): readonly (readonly T[])[] {
  return [...mapGroups(items, nameOf).values()];
}
