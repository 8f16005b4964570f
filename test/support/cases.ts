/**
 * How many cases a test makes: few with every run of the tests, all of them with `npm run test:long`. What is said of
 * them is the same.
 */
export function casesOf<T = number>({ quick, long }: { readonly quick: T; readonly long: T }): T {
  return process.env["TEST_LONG"] === "1" ? long : quick;
}
