import { localize } from "../../core/base/localize.ts";
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Run } from "../../core/call/call.ts";
import {
  createBadRequest,
  createRefusal,
  createWrongUsage,
  type TapedeckError,
} from "../../core/base/errors.ts";
import { isSessionPath } from "../../core/protocol/model-call.ts";
import type { Head } from "../http/messages.ts";
import { makeVisibleLine } from "../../core/base/visible.ts";
import { createProofId } from "./proof.ts";

/** Gives back the failure of a request that may not go on. */
export type Guard = (head: Head) => TapedeckError | undefined;

/** Checks that hold before anything else is looked at: only programs and pages of this machine may call. */
export function createGuard(port: number): Guard {
  const [address, name] = [`127.0.0.1:${port}`, `localhost:${port}`];
  return (head) => {
    if (head.host !== address && head.host !== name)
      return createRefusal(
        localize("its Host header is not the address of this server."),
        localize("Use the address http://{0}.", address),
      );
    const page = foreignPage(head);
    if (page === undefined) return undefined;
    return createRefusal(
      localize("it comes from {0}.", makeVisibleLine(page)),
      localize(
        "Tapedeck answers programs and pages of this machine only. Serve the page of the test from an address such as http://localhost.",
      ),
    );
  };
}

/** http or https on this machine, with any port. */
const LOOPBACK = /^https?:\/\/(?:localhost|(?:[a-z\d-]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;
/** Origins of page environments without an address. */
const NO_ADDRESS = new Set(["null", "about:blank"]);

/**
 * Returns why a request may not come from the page that it names; undefined if it may, or names no page. A browser
 * reports the true origin of a page, so a foreign page cannot claim to be on this machine. The browser reports a
 * sandboxed frame as `null`, together with metadata that page environments do not send.
 */
function foreignPage({ origin, headers, upgrade }: Head): string | undefined {
  if (origin !== undefined && LOOPBACK.test(origin)) return undefined;
  const ownMode = upgrade === undefined ? "cors" : "websocket";
  if (headers.some((header) => isOfBrowser(header, ownMode)))
    return origin === undefined ? localize("a browser") : localize("the page {0} in a browser", origin);
  if (origin === undefined || NO_ADDRESS.has(origin)) return undefined;
  return localize("the page {0}", origin);
}

/** Node's own fetch and WebSocket send only their mode; a browser always names the site, or the origin of a WebSocket. */
function isOfBrowser([name, value]: readonly [string, string], ownMode: string): boolean {
  return name.startsWith("sec-fetch-") && (name !== "sec-fetch-mode" || value !== ownMode);
}

/** The part of an address before the provider's own path. */
export interface RequestAddress {
  readonly token: string;
  readonly provider: string;
  /** Path and query of the provider's own. */
  readonly path: string;
  /** As `Call.origin`. */
  readonly origin?: string;
  /** False where the host serves other things as well: a request that asks no model goes on to it. */
  readonly isModelsAlone?: boolean;
}

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

export type Admissions = ReturnType<typeof createAdmissions>;

const LONGEST = 256;

interface AdmittedRun {
  readonly run: Run;
  readonly text: string;
  /** The public id of the token, from `createProofId`. */
  readonly id: string;
  readonly length: number;
  /** The token, and zeros up to the longest that there may be. */
  readonly bytes: Buffer;
  requests: number;
}

function admittedBy(token: string, run: Run): AdmittedRun {
  const bytes = Buffer.alloc(LONGEST);
  bytes.write(token);
  return { run, text: token, id: createProofId(token), length: token.length, bytes, requests: 0 };
}

function admissionOf(entry: AdmittedRun, url: string, revoke: () => void): Admission {
  return {
    run: entry.run,
    token: entry.text,
    url,
    get requests() {
      return entry.requests;
    },
    revoke,
  };
}

/**
 * Compares with every admitted token in constant time, so that timing does not reveal how much of a token was right.
 */
export function createAdmissions(origin: string) {
  const admitted = new Set<AdmittedRun>();
  let requests = 0;
  const given = Buffer.alloc(LONGEST);
  const find = (token: string): AdmittedRun | undefined => {
    given.fill(0, given.write(token));
    let found: AdmittedRun | undefined;
    for (const entry of admitted) {
      const isSame = timingSafeEqual(entry.bytes, given) && entry.length === token.length;
      if (isSame) found = entry;
    }
    return found;
  };
  return {
    admit(run: Run, token = randomBytes(24).toString("base64url")): Admission {
      if (!isToken(token))
        throw createWrongUsage(
          localize("The token is not a URL-safe path segment."),
          localize("Use only letters, digits, -, and _."),
        );
      const entry = admittedBy(token, run);
      admitted.add(entry);
      return admissionOf(entry, `${origin}/${token}`, () => void admitted.delete(entry));
    },
    read: readAddress,
    /** Counts a request to an address and gives its run; undefined where its token is not admitted. */
    enter({ token }: RequestAddress): Run | undefined {
      const found = find(token);
      if (found === undefined) return undefined;
      found.requests += 1;
      requests += 1;
      return found.run;
    },
    /** Gives the run of a token without counting anything. */
    runOf: (token: string): Run | undefined => find(token)?.run,
    /** The run that every request belongs to; undefined where there are several, or none. */
    get onlyRun(): Run | undefined {
      const [first, ...others] = admitted;
      return others.length === 0 ? first?.run : undefined;
    },
    /** The token of that name, as `createProofId` gives it. */
    named: (id: string): string | undefined => [...admitted].find((entry) => entry.id === id)?.text,
    get requests(): number {
      return requests;
    },
  };
}

/** One path segment that needs no escaping. */
export function isToken(token: string): boolean {
  return /^[A-Za-z0-9._~-]+$/.test(token) && token.length <= LONGEST && token !== "." && token !== "..";
}

function readAddress(url: string): RequestAddress | undefined {
  if (!url.startsWith("/")) return undefined;
  const tokenEnd = url.indexOf("/", 1);
  if (tokenEnd < 0) return { token: url.slice(1).split("?", 1)[0] ?? "", provider: "", path: "/" };
  let end = tokenEnd + 1;
  while (end < url.length && !"/?#".includes(url.charAt(end))) end += 1;
  const path = url.slice(end);
  return {
    token: url.slice(1, tokenEnd),
    provider: url.slice(tokenEnd + 1, end),
    path: path.startsWith("/") ? path : `/${path}`,
  };
}

/** A segment that an address reader would take as "here" or "one up", also when it is escaped. */
const DOT_SEGMENT = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

/** Why a request that was let in has no answer here, whatever is recorded; undefined where it may have one. */
export function explainCannotAnswer(
  { path, isModelsAlone }: RequestAddress,
  head: Head,
): TapedeckError | undefined {
  // A host of no known provider: whether a WebSocket of it asks a model is not known.
  if (isModelsAlone === false && head.upgrade?.toLowerCase() === "websocket" && !isSessionPath(path))
    return createUnrecordable(localize("it opens a WebSocket"));
  if (head.contentType?.toLowerCase().startsWith("application/grpc") === true)
    return createUnrecordable(
      localize("it uses gRPC"),
      localize('Use REST in the client, e.g. with transport="rest".'),
    );
  if (/\/invoke-with-bidirectional-stream(?:\?|$)/.test(path))
    return createUnrecordable(localize("it streams in both directions"));
  const mayHaveDots = path.includes(".") || path.includes("%");
  if (mayHaveDots && DOT_SEGMENT.test(path.split("?", 1)[0] ?? "")) {
    return createBadRequest(
      localize('its path contains "." or "..".'),
      localize("Send the provider's own path."),
    );
  }
  return undefined;
}

/** Refuses a request that is not one call with one answer. `what` is a clause, such as "it opens a WebSocket". */
const createUnrecordable = (what: string, instead = useRequests()): TapedeckError =>
  createBadRequest(localize("{0}, which cannot be recorded yet. Nothing was sent.", what), instead);

const useRequests = (): string =>
  localize("To record and replay calls, use an interface of the provider with requests and responses.");

export function createWrongToken(): TapedeckError {
  return createRefusal(
    localize("its token does not belong to this server."),
    localize("Use the address that Tapedeck printed or set in the environment."),
  );
}
