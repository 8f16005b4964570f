/** What of an object is not undefined, as optional: it is there or not, and never there as undefined. */
export type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out what is undefined. */
export function pickDefined<T extends object>(values: T): Defined<T> {
  const defined: Partial<T> = {};
  for (const name in values) if (values[name] !== undefined) defined[name] = values[name];
  return defined as Defined<T>;
}
