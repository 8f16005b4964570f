import type { Head, Request, Response } from "../http/messages.ts";
import { createPageHeaders } from "../http/messages.ts";

/*
 * Page environments of test runners (happy-dom, jsdom) and pages that a test opens on this machine follow the rules of
 * browsers: they send an Origin, ask with a preflight first, and read only what the reply's CORS headers allow.
 */

/** The question of a page whether it may send a request; no call. */
export function isPreflight({ method, head }: Request): boolean {
  return method === "OPTIONS" && head.origin !== undefined && valueOf(head, ASKED_METHOD) !== undefined;
}

const ASKED_METHOD = "access-control-request-method";
const ASKED_HEADERS = "access-control-request-headers";

export function allowPreflight({ head }: Request, response: Response): void {
  const names = valueOf(head, ASKED_HEADERS);
  response.writeHead(204, [
    ...createPageHeaders(head.origin),
    "access-control-allow-methods",
    valueOf(head, ASKED_METHOD) ?? "",
    ...(names === undefined ? [] : ["access-control-allow-headers", names]),
  ]);
  response.end();
}

const valueOf = ({ headers }: Head, wantedName: string): string | undefined =>
  headers.find(([name]) => name === wantedName)?.[1];
