import type { IncomingMessage } from "node:http";
import { ATTRIBUTION_HEADER } from "../../core/attribution.ts";
import type { WireHeaders } from "../../core/call.ts";

const OURS = new Set([ATTRIBUTION_HEADER, "content-encoding"]);

/** The headers of a request, read in one pass: every call pays for this. */
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
  /** As sent, except what is only for us: the attribution, and the content encoding that we undo. */
  readonly headers: WireHeaders;

  constructor({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">) {
    const headers: [name: string, value: string][] = [];
    let attributions = 0;
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] ?? "").toLowerCase();
      const value = rawHeaders[index + 1] ?? "";
      if (name === ATTRIBUTION_HEADER) this.attribution = ++attributions === 1 ? value : undefined;
      else this.#note(name, value);
      if (!OURS.has(name)) headers.push([name, value]);
    }
    this.headers = headers;
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
    }
  }
}

/** A header that is sent twice says both. */
function joinValues(before: string | undefined, value: string): string {
  return before === undefined ? value : `${before}, ${value}`;
}
