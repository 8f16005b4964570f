/** An object without its undefined members: what may be undefined is there or not, and never there as undefined. */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Leaves out what is undefined. */
export function pickDefined<const T extends object>(values: T): Defined<T> {
  const defined: Partial<T> = {};
  for (const name in values) if (values[name] !== undefined) defined[name] = values[name];
  return defined as unknown as Defined<T>;
}
