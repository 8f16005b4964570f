import { placeholderKey, signedForUs, upstreamUnreachable } from "../errors.ts";
import type { Call, WireHeaders } from "../call.ts";
import type { Provider } from "../protocol/protocol.ts";
import { PLACEHOLDER_KEY } from "../protocol/providers.ts";
import { credentialOfOther } from "./foreign-credential.ts";

/** What connects to a provider. Given as an argument and loaded only when a mode needs it. */
export type Connect = (request: OutgoingRequest) => Promise<IncomingReply>;

export interface OutgoingRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: WireHeaders;
  readonly body: Uint8Array;
  readonly signal: AbortSignal;
  /** Whether the user named the address: only then may it be one of a private network. */
  readonly mayBePrivate: boolean;
}

/** A reply on its way in; the body is decoded (no content encoding) and fails where the connection breaks off. */
export interface IncomingReply {
  readonly status: number;
  /** The reason phrase, where it is another one than the usual one of the status. */
  readonly statusText?: string;
  readonly headers: WireHeaders;
  readonly body: AsyncIterable<Uint8Array>;
}

/** Headers that belong to one connection (RFC 9110 7.6.1) or that we set ourselves. */
const OWN_REQUEST = new Set(
  "connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade host content-length accept-encoding expect".split(
    " ",
  ),
);
const OWN_REPLY = new Set(
  "connection keep-alive proxy-authenticate trailer transfer-encoding upgrade content-length content-encoding set-cookie date alt-svc strict-transport-security".split(
    " ",
  ),
);

/** Sends a call to its provider. @throws TapedeckError `tapedeck_upstream` where it cannot be reached. */
export async function forward(
  call: Call,
  provider: Provider,
  connect: Connect,
  signal: AbortSignal,
): Promise<IncomingReply> {
  const address = provider.upstream;
  if (address === undefined) throw new Error(`${provider.name} has no upstream`);
  const places = [call.path, ...call.headers.map(([, value]) => value)];
  if (places.some((place) => place.includes(PLACEHOLDER_KEY))) {
    throw placeholderKey(provider.name, provider.keyVariables[0] ?? "the provider's key variable");
  }
  // A client that chose the address signed for it; whether a gateway of the user's asks for one is its own matter.
  if (call.origin === undefined && isSigned(call.headers) && !isOwnGateway(provider))
    throw signedForUs(provider.name, provider.keyVariables[0]);
  const foreign = credentialOfOther(call, address);
  if (foreign !== undefined) throw foreign;
  const headers = headersToSend(call);
  try {
    const outgoing = {
      url: address + pathAt(provider, call.path),
      method: call.method,
      headers,
      body: call.body,
      signal,
    };
    const mayBePrivate = provider.isUsersOwn === true;
    const reply = await connect({ ...outgoing, mayBePrivate });
    return { ...reply, headers: headersOfReply(reply, { method: call.method }) };
  } catch (cause) {
    throw upstreamUnreachable(provider.name, address, cause);
  }
}

/** What of a client's headers goes on. */
export function headersToSend({ headers }: Pick<Call, "headers">): WireHeaders {
  return headers.filter(([name]) => !OWN_REQUEST.has(name) && !name.startsWith("x-tapedeck-"));
}

/**
 * What of a reply's headers goes back to the client. A reply to HEAD has the length of the reply to GET among them: nothing
 * else says it.
 */
export function headersOfReply(
  { headers }: Pick<IncomingReply, "headers">,
  { method, cookies = false }: { readonly method: string; readonly cookies?: boolean },
): WireHeaders {
  const isKept = (name: string): boolean =>
    !OWN_REPLY.has(name) ||
    (method === "HEAD" && name === "content-length") ||
    (cookies && name === "set-cookie");
  return headers.filter(([name]) => isKept(name));
}

/** A user's own address need not have the path that our address of the same variable has. */
function pathAt({ name, upstream, insteadOf, isUsersOwn }: Provider, path: string): string {
  // @ai-sdk/anthropic leaves the version to the base address, which other clients of Anthropic add themselves.
  if (name === "anthropic" && /^\/messages(?:\?|$)/.test(path) && upstream !== undefined)
    return upstream.endsWith("/v1") ? path : `/v1${path}`;
  const shared = isUsersOwn === true ? sharedPath(upstream, path) : "";
  if (shared !== "") return path.slice(shared.length);
  const isPrefix = insteadOf !== undefined && path.startsWith(`${insteadOf}/`);
  return isPrefix ? path.slice(insteadOf.length) : path;
}

/** The end of an address that the path begins with as well: an address with /v1 is a base URL. */
function sharedPath(upstream: string | undefined, path: string): string {
  const [version = ""] = /\/v\d+\w*$/.exec(upstream ?? "") ?? [];
  return version !== "" && path.startsWith(`${version}/`) ? version : "";
}

/**
 * Whether a call has a signature over its address, as AWS makes them (Signature Version 4): the client signed ours,
 * the provider would check its own. Source: docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html.
 */
function isSigned(headers: WireHeaders): boolean {
  return headers.some(([name, value]) => name === "authorization" && value.startsWith("AWS4-"));
}

function isOwnGateway({ isUsersOwn, upstream = "" }: Provider): boolean {
  return isUsersOwn === true && !/\.amazonaws\.com(?:\.cn)?$/.test(new URL(upstream).hostname);
}
