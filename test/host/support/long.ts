import { casesOf } from "../../support/cases.ts";

const nothing = (() => {}) as unknown as typeof it;

/** `it` of the extension host for a test that only `npm run test:long` runs. */
export const itLong = casesOf({ quick: nothing, long: it });
