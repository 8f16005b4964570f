import { randomBytes, timingSafeEqual } from "node:crypto";
import { wrongUsage } from "../../core/errors.ts";
import type { Run } from "../../core/call.ts";
import { proofId } from "./proof.ts";

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
  enter(token: string): Entered | undefined;
  /** As `enter`, for a request to the very address of one that entered before; undefined where tokens changed since. */
  enterAgain(before: Entered): Entered | undefined;
  /** Gives the run of a token without counting anything. */
  runOf(token: string): Run | undefined;
  /** The one of that name, as `proofId` gives it. */
  named(id: string): string | undefined;
  readonly requests: number;
}

/** A request that was let in. */
export interface Entered {
  readonly run: Run;
}

const LONGEST = 256;

interface Admitted extends Entered {
  readonly text: string;
  /** What it is asked for by, as `proofId` gives it: no secret. */
  readonly id: string;
  readonly length: number;
  /** The token, and zeros up to the longest that there may be. */
  readonly bytes: Buffer;
  requests: number;
  /** The tokens among which it was found last. */
  foundAmong: object | undefined;
}

function admittedBy(token: string, run: Run): Admitted {
  const bytes = Buffer.alloc(LONGEST);
  bytes.write(token);
  const id = proofId(token);
  return { run, text: token, id, length: token.length, bytes, requests: 0, foundAmong: undefined };
}

function namedAmong(admitted: ReadonlySet<Admitted>, id: string): string | undefined {
  return [...admitted].find((entry) => entry.id === id)?.text;
}

function isAmong(entered: Entered, tokens: object): entered is Admitted {
  return "foundAmong" in entered && entered.foundAmong === tokens;
}

/**
 * Every token admitted is compared in constant time, so that no comparison tells how much of one was right. Who asks
 * again found the address of the request by its hash, which tells nothing of the kind either.
 */
export function createAdmissions(origin: string): Admissions {
  const admitted = new Set<Admitted>();
  /** Another one whenever other tokens are admitted, or one for another run. */
  let tokens = {};
  let requests = 0;
  const given = Buffer.alloc(LONGEST);
  const find = (token: string): Admitted | undefined => {
    given.fill(0, given.write(token));
    let found: Admitted | undefined;
    for (const entry of admitted) {
      const isSame = timingSafeEqual(entry.bytes, given) && entry.length === token.length;
      if (isSame) found = entry;
    }
    if (found !== undefined) found.foundAmong = tokens;
    return found;
  };
  const countIn = (found: Admitted | undefined): Entered | undefined => {
    if (found === undefined) return undefined;
    found.requests += 1;
    requests += 1;
    return found;
  };
  return {
    admit(run, token = randomBytes(24).toString("base64url")) {
      if (!isToken(token))
        throw wrongUsage("The token is not a URL-safe path segment.", "Use letters, digits, - and _ only.");
      const entry = admittedBy(token, run);
      admitted.add(entry);
      tokens = {};
      return {
        run,
        token,
        url: `${origin}/${token}`,
        get requests() {
          return entry.requests;
        },
        revoke(): void {
          admitted.delete(entry);
          tokens = {};
        },
      };
    },
    runOf: (token) => find(token)?.run,
    named: (id) => namedAmong(admitted, id),
    enter: (token) => countIn(find(token)),
    enterAgain: (before) => countIn(isAmong(before, tokens) ? before : undefined),
    get requests() {
      return requests;
    },
  };
}

/** One path segment that needs no escaping. */
export function isToken(token: string): boolean {
  return /^[A-Za-z0-9._~-]+$/.test(token) && token.length <= LONGEST && token !== "." && token !== "..";
}
