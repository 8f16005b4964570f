import { badRequest, refused, type TapedeckError } from "../../core/errors.ts";
import type { Entered } from "./admissions.ts";
import type { Head } from "../http/node-messages.ts";

/** What of the address comes before the provider's own path. */
export interface Address {
  readonly token: string;
  readonly provider: string;
  /** Path and query of the provider's own. */
  readonly path: string;
  /** As `Call.origin`. */
  readonly origin?: string;
  /** How a request to this very address was let in before. */
  readonly entered?: Entered;
}

/** Gives back the failure of a request that may not go on. */
export type Guard = (head: Head) => TapedeckError | undefined;

/** Checks that hold before anything else is looked at: only this machine's own programs may call, no web page. */
export function guardOf(port: number): Guard {
  const [address, name] = [`127.0.0.1:${port}`, `localhost:${port}`];
  return ({ host, origin, headers }) => {
    if (host !== address && host !== name)
      return refused("its Host is not this server's.", `Call it as http://${address}.`);
    if (origin === undefined && !headers.some(isOfBrowser)) return undefined;
    return refused(
      "it comes from a web page.",
      "Tapedeck answers programs on this machine, never pages in a browser.",
    );
  };
}

/** Node's own fetch sends `sec-fetch-mode: cors` and nothing else of the kind; a browser always names the site too. */
function isOfBrowser([name, value]: readonly [string, string]): boolean {
  return name.startsWith("sec-fetch-") && (name !== "sec-fetch-mode" || value !== "cors");
}

/** Reads addresses. Those of calls are few: one that was let in is read once. */
export interface AddressReader {
  /** Takes `/TOKEN/PROVIDER/path?query` apart; undefined where it has no such shape. */
  read(url: string): Address | undefined;
  /** Says that the calls of this address were let in, and how. */
  remember(url: string, address: Address, entered: Entered): void;
}

const REMEMBERED_ADDRESSES = 256;
const LONGEST_REMEMBERED = 1_024;

export function createAddressReader(): AddressReader {
  const known = new Map<string, Address>();
  return {
    // A look-up by hash tells by its time nothing of how much of a token was right.
    read: (url) => known.get(url) ?? readAddress(url),
    remember(url, address, entered) {
      if (url.length > LONGEST_REMEMBERED || address.entered === entered) return;
      if (known.size >= REMEMBERED_ADDRESSES) known.clear();
      known.set(url, { ...address, entered });
    },
  };
}

function readAddress(url: string): Address | undefined {
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

/** What of a client's is no call and its answer: none of it is recorded, and nothing is sent on. */
interface Unrecordable {
  /** As "it opens a WebSocket". */
  readonly what: string;
  readonly instead: string;
}

/** Undefined for what is a call. */
export function unrecordable({ path }: Address, head: Head): Unrecordable | undefined {
  if (head.upgrade?.toLowerCase() === "websocket") return { what: "it opens a WebSocket", instead: BY_HTTP };
  if (head.contentType?.toLowerCase().startsWith("application/grpc") === true)
    return { what: "it speaks gRPC", instead: 'Have its client use REST, as with transport="rest".' };
  if (/\/invoke-with-bidirectional-stream(?:\?|$)/.test(path))
    return { what: "it streams in both directions", instead: BY_HTTP };
  return undefined;
}

const BY_HTTP =
  "Use an interface of the provider that answers a request, where calls are to be recorded and replayed.";

/** Why a request that was let in has no answer here, whatever is recorded; undefined where it may have one. */
export function cannotAnswer(address: Address, head: Head): TapedeckError | undefined {
  const none = unrecordable(address, head);
  if (none !== undefined)
    return badRequest(`${none.what}, which is not recorded yet: nothing was sent.`, none.instead);
  const { path } = address;
  const mayHaveDots = path.includes(".") || path.includes("%");
  if (mayHaveDots && DOT_SEGMENT.test(path.split("?", 1)[0] ?? "")) {
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
