/** A promise under load: random cases from a seed, which must all hold. */
export interface Torture {
  readonly name: string;
  /** What must never happen, for the table. */
  readonly promise: string;
  /** How many cases in `npm test`. */
  readonly quick: number;
  /** How many in `npm run test:long` and where a protection is taken out, and in `npm run torture`. */
  readonly short: number;
  readonly long: number;
  run(options: { readonly seed: number; readonly cases: number }): Promise<Suffered>;
}

export interface Suffered {
  readonly cases: number;
  /** One sentence each, in the order in which they were met. */
  readonly failures: readonly string[];
  /** Further figures for the table. */
  readonly note?: string;
}
