/** Puts a value at the end of its key's list, which the first one begins. */
export function addTo<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Items by a key of theirs, as `Map.groupBy`, which Node 20 has not. */
export function listsBy<T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const lists = new Map<K, T[]>();
  for (const item of items) addTo(lists, keyOf(item), item);
  return lists;
}

/** Groups of items with the same name, in the order of their first members. */
export function groupBy<T>(items: readonly T[], nameOf: (item: T) => string): readonly (readonly T[])[] {
  return [...listsBy(items, nameOf).values()];
}
