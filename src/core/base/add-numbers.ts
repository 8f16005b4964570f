/** Adds two objects of numbers, member by member. `none` lists the members. */
export function addNumbers<T extends { readonly [Name in keyof T]: number }>(none: T, a: T, b: T): T {
  const sums: Partial<Record<keyof T, number>> = {};
  for (const name in none) sums[name] = a[name] + b[name];
  return sums as T;
}
