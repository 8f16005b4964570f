import type { IncomingMessage } from "node:http";
import { ATTRIBUTION_HEADER } from "../core/attribution.ts";
import type { WireHeaders } from "../core/exchange.ts";

/** The headers of a request, read in one pass: every call pays for this. */
export interface Head {
  /** As sent, except what is only for us: the attribution, and the content encoding that we undo. */
  readonly headers: WireHeaders;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `sec-fetch-…` headers: names without that beginning, and values. */
  readonly fetchMetadata: readonly (readonly [name: string, value: string])[];
  readonly upgrade: string | undefined;
  readonly contentEncoding: string | undefined;
  readonly contentLength: number | undefined;
  /** Undefined where it is absent or sent twice. */
  readonly attribution: string | undefined;
}

const FETCH_METADATA = "sec-fetch-";

export function readHead({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): Head {
  const headers: [string, string][] = [];
  const fetchMetadata: [string, string][] = [];
  const once: Record<string, string | undefined> = {};
  let attributions = 0;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    if (KNOWN.has(name)) once[name] = once[name] === undefined ? value : `${once[name]}, ${value}`;
    else if (name.startsWith(FETCH_METADATA)) fetchMetadata.push([name.slice(FETCH_METADATA.length), value]);
    if (name === ATTRIBUTION_HEADER) attributions += 1;
    else if (name !== "content-encoding") headers.push([name, value]);
  }
  const length = once["content-length"];
  return {
    headers,
    fetchMetadata,
    host: once["host"],
    origin: once["origin"],
    upgrade: once["upgrade"],
    contentEncoding: once["content-encoding"],
    contentLength: length === undefined ? undefined : Number(length),
    attribution: attributions === 1 ? once[ATTRIBUTION_HEADER] : undefined,
  };
}

const KNOWN = new Set([
  "host",
  "origin",
  "upgrade",
  "content-encoding",
  "content-length",
  ATTRIBUTION_HEADER,
]);
