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
  const found: Found = { fetchMetadata: [], attributions: 0 };
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase();
    const value = rawHeaders[index + 1] ?? "";
    note(found, name, value);
    if (name !== ATTRIBUTION_HEADER && name !== "content-encoding") headers.push([name, value]);
  }
  const { fetchMetadata, host, origin, upgrade, contentEncoding, contentLength } = found;
  return {
    headers,
    fetchMetadata,
    host,
    origin,
    upgrade,
    contentEncoding,
    contentLength: contentLength === undefined ? undefined : Number(contentLength),
    attribution: found.attributions === 1 ? found.attribution : undefined,
  };
}

interface Found {
  readonly fetchMetadata: [name: string, value: string][];
  host?: string;
  origin?: string;
  upgrade?: string;
  contentEncoding?: string;
  contentLength?: string;
  attribution?: string;
  attributions: number;
}

function note(found: Found, name: string, value: string): void {
  switch (name) {
    case ATTRIBUTION_HEADER:
      found.attribution = value;
      found.attributions += 1;
      break;
    case "content-encoding":
      found.contentEncoding = joined(found.contentEncoding, value);
      break;
    case "host":
      found.host = joined(found.host, value);
      break;
    case "content-length":
      found.contentLength = joined(found.contentLength, value);
      break;
    case "origin":
      found.origin = joined(found.origin, value);
      break;
    case "upgrade":
      found.upgrade = joined(found.upgrade, value);
      break;
    default:
      if (name.startsWith(FETCH_METADATA))
        found.fetchMetadata.push([name.slice(FETCH_METADATA.length), value]);
  }
}

/** A header that is sent twice says both. */
function joined(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}
