import type { IncomingMessage } from "node:http";
import { ATTRIBUTION_HEADER } from "../../core/attribution.ts";
import type { WireHeaders } from "../../core/call.ts";

const FETCH_METADATA = "sec-fetch-";
const NONE: WireHeaders = [];
const OURS = new Set([ATTRIBUTION_HEADER, "content-encoding"]);

/**
 * The headers of a request, read in one pass: every call pays for this. A class, because the list of all of them is made
 * only when something asks for it.
 */
export class Head {
  host: string | undefined;
  origin: string | undefined;
  upgrade: string | undefined;
  /** The first one, which counts. */
  contentType: string | undefined;
  contentEncoding: string | undefined;
  contentLength: number | undefined;
  expect: string | undefined;
  /** Undefined where it is absent or sent twice. */
  attribution: string | undefined;
  readonly #raw: readonly string[];
  #headers: WireHeaders | undefined;
  #fetchMetadata: [name: string, value: string][] | undefined;

  constructor({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">) {
    this.#raw = rawHeaders;
    let attributions = 0;
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] ?? "").toLowerCase();
      const value = rawHeaders[index + 1] ?? "";
      if (name === ATTRIBUTION_HEADER) this.attribution = ++attributions === 1 ? value : undefined;
      else this.#note(name, value);
    }
  }

  /** As sent, except what is only for us: the attribution, and the content encoding that we undo. */
  get headers(): WireHeaders {
    return (this.#headers ??= allOf(this.#raw).filter(([name]) => !OURS.has(name)));
  }

  /** `sec-fetch-…` headers: names without that beginning, and values. */
  get fetchMetadata(): WireHeaders {
    return this.#fetchMetadata ?? NONE;
  }

  #note(name: string, value: string): void {
    switch (name) {
      case "content-encoding":
        this.contentEncoding = joinValues(this.contentEncoding, value);
        break;
      case "content-length":
        this.contentLength = Number(value);
        break;
      case "content-type":
        this.contentType ??= value;
        break;
      case "expect":
        this.expect = value;
        break;
      case "host":
        this.host = joinValues(this.host, value);
        break;
      case "origin":
        this.origin = joinValues(this.origin, value);
        break;
      case "upgrade":
        this.upgrade = joinValues(this.upgrade, value);
        break;
      default:
        if (name.startsWith(FETCH_METADATA))
          (this.#fetchMetadata ??= []).push([name.slice(FETCH_METADATA.length), value]);
    }
  }
}

function allOf(raw: readonly string[]): WireHeaders {
  const headers: [string, string][] = [];
  for (let index = 0; index + 1 < raw.length; index += 2)
    headers.push([(raw[index] ?? "").toLowerCase(), raw[index + 1] ?? ""]);
  return headers;
}

/** A header that is sent twice says both. */
function joinValues(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}
