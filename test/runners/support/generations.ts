import { casesOf } from "../../support/cases.ts";

/**
 * Of runners in two generations: the current one with every run of the tests, both with `npm run test:long`. A case is
 * its name, or begins with it.
 */
export function generations<const T extends string | readonly [string, ...unknown[]]>(
  cases: readonly T[],
): readonly T[] {
  const nameOf = (one: T): string => (typeof one === "string" ? one : one[0]);
  return casesOf({ quick: cases.filter((one) => !nameOf(one).includes("previous")), long: cases });
}
