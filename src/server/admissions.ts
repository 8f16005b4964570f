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

const LONGEST = 256;

interface Admitted {
  readonly run: Run;
  readonly length: number;
  /** The token, and zeros up to the longest that there may be. */
  readonly bytes: Buffer;
  requests: number;
}

/** Every token admitted is compared in constant time, so that no comparison tells how much of one was right. */
export function createAdmissions(origin: string): Admissions {
  const admitted = new Set<Admitted>();
  let requests = 0;
  const given = Buffer.alloc(LONGEST);
  const find = (token: string): Admitted | undefined => {
    given.fill(0, given.write(token));
    let found: Admitted | undefined;
    for (const entry of admitted) {
      const isSame = timingSafeEqual(entry.bytes, given) && entry.length === token.length;
      if (isSame) found = entry;
    }
    return found;
  };
  return {
    admit(run, token = randomBytes(24).toString("base64url")) {
      if (!isToken(token))
        throw wrongUsage("The token is not a URL-safe path segment.", "Use letters, digits, - and _ only.");
      const entry = { length: token.length, bytes: Buffer.alloc(LONGEST), run, requests: 0 };
      entry.bytes.write(token);
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
  return /^[A-Za-z0-9._~-]+$/.test(token) && token.length <= LONGEST && token !== "." && token !== "..";
}
