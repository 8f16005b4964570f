import { it } from "vitest";
import { casesOf } from "./cases.ts";

const nothing = (): void => {};

/** `it` for a test that only `npm run test:long` runs. */
export const itLong = casesOf<typeof it>({
  quick: Object.assign(nothing, { skipIf: () => nothing }) as unknown as typeof it,
  long: it,
});
