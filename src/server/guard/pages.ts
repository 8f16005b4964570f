import type { Head, Request, Response } from "../http/node-messages.ts";

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

/** Allows the request that a page asked for. */
export function allowPreflight({ head }: Request, response: Response): void {
  const names = valueOf(head, ASKED_HEADERS);
  response.writeHead(204, [
    ...pageHeaders(head.origin),
    "access-control-allow-methods",
    valueOf(head, ASKED_METHOD) ?? "",
    ...(names === undefined ? [] : ["access-control-allow-headers", names]),
  ]);
  response.end();
}

/** What lets a page of this origin read a reply with these headers, names and values by turns. */
export function pageHeaders(origin: string | undefined, headers: readonly string[] = []): readonly string[] {
  if (origin === undefined) return [];
  const names = headers.filter((_, index) => index % 2 === 0);
  return [
    "access-control-allow-origin",
    origin,
    "access-control-allow-credentials",
    "true",
    ...(names.length === 0 ? [] : ["access-control-expose-headers", [...new Set(names)].join(", ")]),
    "vary",
    "origin",
  ];
}

const valueOf = ({ headers }: Head, wanted: string): string | undefined =>
  headers.find(([name]) => name === wanted)?.[1];
