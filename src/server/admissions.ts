import { createHash, randomBytes } from "node:crypto";
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
  readonly requests: number;
}

/** Tokens are looked up by their hash, so that no comparison tells how much of one was right. */
export function createAdmissions(origin: string): Admissions {
  const byHash = new Map<string, { run: Run; requests: number }>();
  let requests = 0;
  return {
    admit(run, token = randomBytes(24).toString("base64url")) {
      if (!isToken(token))
        throw wrongUsage("The token is not a URL-safe path segment.", "Use letters, digits, - and _ only.");
      const hash = hashOf(token);
      const entry = { run, requests: 0 };
      byHash.set(hash, entry);
      return {
        run,
        token,
        url: `${origin}/${token}`,
        get requests() {
          return entry.requests;
        },
        revoke: () => byHash.delete(hash),
      };
    },
    enter(token) {
      const entry = byHash.get(hashOf(token));
      if (entry === undefined) return undefined;
      entry.requests += 1;
      requests += 1;
      return entry.run;
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

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
