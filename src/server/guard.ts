import { badRequest, refused, type TapedeckError } from "../core/errors.ts";
import type { Head } from "./head.ts";

/** What of the address comes before the provider's own path. */
export interface Address {
  readonly token: string;
  readonly provider: string;
  /** Path and query of the provider's own. */
  readonly path: string;
}

/**
 * Checks that hold before anything else is looked at: only this machine's own programs may call, no web page.
 * Gives back the failure, or undefined where the request may go on.
 */
export function guard(head: Head, port: number): TapedeckError | undefined {
  const { host, origin, fetchMetadata } = head;
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) {
    return refused("its Host is not this server's.", `Call it as http://127.0.0.1:${port}.`);
  }
  if (origin !== undefined || fetchMetadata.some(isOfBrowser)) {
    return refused(
      "it comes from a web page.",
      "Tapedeck answers programs on this machine, never pages in a browser.",
    );
  }
  return undefined;
}

/** Node's own fetch sends `sec-fetch-mode: cors` and nothing else of the kind; a browser always names the site too. */
function isOfBrowser([name, value]: readonly [string, string]): boolean {
  return name !== "mode" || value !== "cors";
}

/** Takes `/TOKEN/PROVIDER/path?query` apart; undefined where it has no such shape. */
export function readAddress(url: string): Address | undefined {
  if (!url.startsWith("/")) return undefined;
  const tokenEnd = url.indexOf("/", 1);
  if (tokenEnd < 0) return { token: url.slice(1).split("?", 1)[0] ?? "", provider: "", path: "/" };
  const rest = url.slice(tokenEnd + 1);
  const provider = /^[^/?#]*/.exec(rest)?.[0] ?? "";
  const path = rest.slice(provider.length);
  return { token: url.slice(1, tokenEnd), provider, path: path.startsWith("/") ? path : `/${path}` };
}

/** A segment that an address reader would take as "here" or "one up", also when it is escaped. */
const DOT_SEGMENT = /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\]|$)/i;

/** Why a request that was let in has no answer here, whatever is recorded; undefined where it may have one. */
export function cannotAnswer(address: Address, head: Head): TapedeckError | undefined {
  if (head.upgrade?.toLowerCase() === "websocket") {
    return badRequest(
      "it opens a WebSocket, and those are not recorded yet.",
      "Use the provider's HTTP interface where calls are to be recorded and replayed.",
    );
  }
  if (DOT_SEGMENT.test(address.path.split("?", 1)[0] ?? "")) {
    return badRequest('its path has "." or ".." in it.', "Send the provider's own path.");
  }
  return undefined;
}

export function wrongToken(): TapedeckError {
  return refused(
    "its token is not one of this server's.",
    "Take the address that Tapedeck printed or set in the environment.",
  );
}
