import { localize } from "../core/base/localize.ts";
import { findTestOfCall } from "../core/call/attribution.ts";
import { canLeaveMachine, type Run, type TestRef } from "../core/call/call.ts";
import type { TapedeckError } from "../core/base/errors.ts";
import type { Destination } from "../core/protocol/origin.ts";
import type { RequestAddress } from "./guard/guard.ts";
import type { Request, Response } from "./http/messages.ts";
import { sendJson } from "./http/messages.ts";

/** A process as its own hooks describe it. Untrusted words, not longer than `LONGEST`. */
export interface HookedProcess {
  readonly pid: number;
  /** The process's command, e.g. "node node_modules/vitest/vitest.mjs". */
  readonly command: string;
}

/**
 * What hooks tell of the process that they run in. None of it is a call. A hello without a process comes from one that
 * has only asked yet who the server is.
 */
export type GuardNote = { readonly run: Run } & (
  | (Partial<HookedProcess> & { readonly kind: "hello" })
  /**
   * A connection to a provider that could not be redirected and was let through, or was refused. Of one that came here
   * and was refused the process is not known.
   */
  | (Partial<HookedProcess> & {
      readonly kind: "passed";
      readonly host: string;
      readonly reason: string;
      /** What to do about it, where Tapedeck itself refused the call. */
      readonly fix?: string;
      readonly test?: TestRef;
    })
  /** A test began in a process of this runner, e.g. "vitest". */
  | { readonly kind: "tests"; readonly runner: string }
  /** A library can answer calls of the process before they reach a connection. */
  | (HookedProcess & { readonly kind: "mocked"; readonly by: string; readonly test?: TestRef })
  /** A request whose path looks like a model call was sent to a host of no known provider. */
  | (HookedProcess & { readonly kind: "elsewhere"; readonly host: string; readonly test?: TestRef })
  | (Partial<HookedProcess> & LeftNote & { readonly kind: "left" })
);

/** A connection that asked no model left the machine, or was refused because the run blocks the network. */
export interface LeftNote {
  readonly host: string;
  readonly isRefused: boolean;
  /** Whether the requests on the connection could not be read. */
  readonly isUnread?: boolean;
}

/** Takes the place of a provider's name in an address; no provider's name begins like this. */
export const GUARD = "@guard";

const LONGEST = 300;

/** A request that came here, and whose it is. */
interface ArrivedNote {
  readonly request: Request;
  readonly address: RequestAddress;
  readonly run: Run;
  readonly roots: readonly string[];
}

/** Of a request with a run's token that was refused before it was read as a call. */
export function createRefusalNote({
  error,
  ...arrived
}: ArrivedNote & { readonly error: TapedeckError }): GuardNote {
  return { kind: "passed", ...sourceOf(arrived), reason: error.message, fix: error.hint };
}

function sourceOf({ request, address, run, roots }: ArrivedNote) {
  const test = findTestOfCall(request.head.attribution, roots, run.test);
  const host = address.origin === undefined ? address.provider : new URL(address.origin).host;
  return { run, host, ...(test && { test }) };
}

/**
 * Notes a connection on which a client begins with TLS, which was refused with `error`: one to the server's own address, or
 * one that was redirected from `destination`, whose client sets up TLS where the hooks cannot see it.
 */
export function createTlsNote(run: Run, error: TapedeckError, destination?: Destination): GuardNote {
  if (destination === undefined)
    return { kind: "passed", run, host: "", reason: error.message, fix: error.hint };
  return {
    kind: "passed",
    run,
    host: `${destination.host}:${destination.port}`,
    reason: localize("Its client sets up TLS in its own way, which Tapedeck cannot answer."),
    fix: localize("Set the provider's base-URL variable."),
  };
}

/** A path below `/@guard`, and the run that it is for. */
interface HookedRun {
  readonly path: string;
  readonly run: Run;
  readonly roots: readonly string[];
  readonly dir: string | undefined;
}

/**
 * Answers what hooks tell and ask, `/@guard/hello`, `/values`, `/passed`, `/mocked`, `/elsewhere`, `/left`, `/blocked` and `/mode`; gives the note where it is one.
 * A mode is answered as JSON: its name, whether calls may leave the machine in it, and the folder of recordings.
 */
export function receiveGuardNote(
  { request, response }: { readonly request: Request; readonly response: Response },
  { path, run, roots, dir }: HookedRun,
): GuardNote | undefined {
  const { pathname, searchParams: parameters } = new URL(path, "http://guard");
  if (pathname === "/mode" && request.method === "GET") {
    sendJson(response, { mode: run.mode, leaves: canLeaveMachine(run.mode), dir });
    return undefined;
  }
  response.writeHead(204).end();
  const text = (name: string): string => (parameters.get(name) ?? "").slice(0, LONGEST);
  const pid = Number(text("pid"));
  if (request.method !== "GET" || !Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const from = { pid, command: text("command"), run };
  const test = findTestOfCall(request.head.attribution, roots, run.test);
  const of = test === undefined ? {} : { test };
  if (pathname === "/hello") return { kind: "hello", ...from };
  if (pathname === "/mocked" && text("by") !== "") return { kind: "mocked", by: text("by"), ...from, ...of };
  if (text("host") === "") return undefined;
  if (pathname === "/elsewhere") return { kind: "elsewhere", host: text("host"), ...from, ...of };
  if (pathname === "/left" || pathname === "/blocked")
    return { kind: "left", host: text("host"), isRefused: pathname === "/blocked", ...from };
  if (pathname !== "/passed") return undefined;
  return { kind: "passed", host: text("host"), reason: text("reason"), ...from, ...of };
}
