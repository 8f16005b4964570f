/** An object without undefined members: those that can be undefined become optional. */
export type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Copies an object without its undefined members. */
export function pickDefined<const T extends object>(values: T): Defined<T> {
  const defined: Partial<T> = {};
  for (const name in values) if (values[name] !== undefined) defined[name] = values[name];
  return defined as unknown as Defined<T>;
}
