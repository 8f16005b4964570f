/**
 * Number of cases of a test: few in every run of the tests, all of them with `npm run test:long`. The assertions are
 * the same.
 */
export function casesOf<T = number>({ quick, long }: { readonly quick: T; readonly long: T }): T {
  return process.env["TEST_LONG"] === "1" ? long : quick;
}
