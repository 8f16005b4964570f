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
  /** Protections that the promise depends on: with any one of these removed, the short run fails. */
  readonly protections: readonly Protection[];
  run(options: { readonly seed: number; readonly cases: number }): Promise<Suffered>;
}

export interface Suffered {
  readonly cases: number;
  /** One sentence each, in the order in which they were met. */
  readonly failures: readonly string[];
  /** Further figures for the table. */
  readonly note?: string;
}

/** A change of the source that takes a protection out. `find` occurs exactly once in the file. */
export interface Protection {
  readonly what: string;
  /** Relative to the project. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A protection with tests: without it, at least one fails. */
export interface TestedProtection extends Protection {
  /** Files or folders of tests. */
  readonly tests: readonly string[];
  /** Only tests whose titles, those of their groups in front, have this in them. */
  readonly named?: string;
}
