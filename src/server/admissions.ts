import { randomBytes, timingSafeEqual } from "node:crypto";
import { wrongUsage } from "../core/errors.ts";
import type { Run } from "../core/exchange.ts";

/** A run that may call under a token. */
export interface Admission {
  readonly run: Run;
  readonly token: string;
  /** Origin and token; the provider's name comes after it. */
  readonly url: string;
  /** Requests let in under this token. */
  readonly requests: number;
  revoke(): void;
}

export interface Admissions {
  admit(run: Run, token?: string): Admission;
  /** Counts a request under the token and gives its run; undefined for a token that is not admitted. */
  enter(token: string): Run | undefined;
  /** Gives the run of a token without counting anything. */
  runOf(token: string): Run | undefined;
  readonly requests: number;
}

/** Every token admitted is compared in constant time, so that no comparison tells how much of one was right. */
export function createAdmissions(origin: string): Admissions {
  const admitted = new Set<{ readonly token: Buffer; readonly run: Run; requests: number }>();
  let requests = 0;
  const find = (token: string): { readonly run: Run; requests: number } | undefined => {
    const given = Buffer.from(token);
    let found: { readonly run: Run; requests: number } | undefined;
    for (const entry of admitted) {
      const isSame = entry.token.byteLength === given.byteLength && timingSafeEqual(entry.token, given);
      if (isSame) found = entry;
    }
    return found;
  };
  return {
    admit(run, token = randomBytes(24).toString("base64url")) {
      if (!isToken(token))
        throw wrongUsage("The token is not a URL-safe path segment.", "Use letters, digits, - and _ only.");
      const entry = { token: Buffer.from(token), run, requests: 0 };
      admitted.add(entry);
      return {
        run,
        token,
        url: `${origin}/${token}`,
        get requests() {
          return entry.requests;
        },
        revoke: () => admitted.delete(entry),
      };
    },
    runOf: (token) => find(token)?.run,
    enter(token) {
      const found = find(token);
      if (found === undefined) return undefined;
      found.requests += 1;
      requests += 1;
      return found.run;
    },
    get requests() {
      return requests;
    },
  };
}

/** One path segment that needs no escaping. */
export function isToken(token: string): boolean {
  return /^[A-Za-z0-9._~-]{1,256}$/.test(token) && token !== "." && token !== "..";
}
