import { unknownProvider } from "./errors.ts";
import type { Call, Key } from "./exchange.ts";
import { readBody } from "./match/canonical.ts";
import { computeKey, type Normaliser, type Sha256 } from "./match/key.ts";
import type { Protocol, ProtocolRequest, Provider, RequestFacts } from "./protocol/protocol.ts";
import type { ProviderTable } from "./protocol/registry.ts";
import type { Countable } from "./runs.ts";
import type { Remembered } from "./source/source.ts";
import { contentTypeOf } from "./wire/content-type.ts";
import { ownText } from "./wire/text.ts";

/** What is known of a request before anyone answers; of one that came before, what was found then. */
export interface ReadRequest extends Countable, Remembered {
  readonly provider: Provider;
  readonly protocol: Protocol;
  readonly key: Key;
  readonly facts: RequestFacts;
}

/** What of a call takes part in reading its request. */
export type RequestOfCall = Pick<Call, "provider" | "method" | "path" | "headers" | "contentType" | "body">;

/** How many requests are remembered by their raw bytes. */
const REMEMBERED = 20_000;

/**
 * Reads requests; the same raw request is read once. The memo is in front of canonicalisation because tests
 * send the same bytes over and over, and a hash of them is far cheaper than a canonical form.
 */
export function createRequestReader(
  providers: ProviderTable,
  sha256: Sha256,
  normaliser: () => Normaliser | undefined = () => undefined,
): (call: RequestOfCall) => ReadRequest {
  const memo = createMemo();
  let applied = normaliser();
  return (call) => {
    const normalise = normaliser();
    if (normalise !== applied) memo.clear();
    applied = normalise;
    const contentType = call.contentType ?? contentTypeOf(call.headers).contentType ?? "";
    const found = providers.protocolFor(call);
    // A header may decide between two operations under one address.
    const operation = found?.protocol.operation ?? "";
    const { provider, method, path } = call;
    const place = { provider, operation, method, path, contentType };
    const body = sha256(call.body);
    const known = memo.get(place, body);
    if (known !== undefined) return known;
    const read = readRequest(call, found, { providers, sha256, normalise });
    memo.set(place, body, read);
    return read;
  };
}

/** Where a call goes, and what it says of its body. */
interface Place {
  readonly provider: string;
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly contentType: string;
}

interface Memo {
  get(place: Place, body: string): ReadRequest | undefined;
  set(place: Place, body: string, read: ReadRequest): void;
  clear(): void;
}

/** By where a call goes and then by what it says: places are few, and most calls go where the last one went. */
function createMemo(): Memo {
  const places = new Map<string, Map<string, ReadRequest>>();
  let last: { readonly place: Place; readonly bodies: Map<string, ReadRequest> } | undefined;
  let size = 0;
  const clear = (): void => {
    places.clear();
    last = undefined;
    size = 0;
  };
  const bodiesAt = (place: Place): Map<string, ReadRequest> => {
    if (last !== undefined && isSamePlace(last.place, place)) return last.bodies;
    const { provider, operation, method, path, contentType } = place;
    const name = `${provider}\n${operation}\n${method}\n${path}\n${contentType}`;
    let bodies = places.get(name);
    if (bodies === undefined) places.set(name, (bodies = new Map()));
    last = { place, bodies };
    return bodies;
  };
  return {
    get: (place, body) => bodiesAt(place).get(body),
    set(place, body, read) {
      if (size >= REMEMBERED) clear();
      bodiesAt(place).set(body, read);
      size += 1;
    },
    clear,
  };
}

function isSamePlace(a: Place, b: Place): boolean {
  return (
    a.path === b.path &&
    a.method === b.method &&
    a.provider === b.provider &&
    a.operation === b.operation &&
    a.contentType === b.contentType
  );
}

export interface Reading {
  readonly providers: ProviderTable;
  readonly sha256: Sha256;
  readonly normalise: Normaliser | undefined;
}

/**
 * Reads one request, whoever made it.
 * @throws TapedeckError `tapedeck_refused` for an unknown provider, `tapedeck_bad_request` for a body that cannot be read.
 */
export function readRequest(
  call: RequestOfCall,
  found: ReturnType<ProviderTable["protocolFor"]>,
  { providers, sha256, normalise }: Reading,
): ReadRequest {
  if (found === undefined) throw unknownProvider(call.provider, providers.names);
  const { provider, protocol } = found;
  const request = protocolRequest(call, protocol.operation);
  const facts = remembered(protocol.facts(request));
  const key = computeKey({ ...request, operation: protocol.operation }, sha256, normalise);
  return { provider, protocol, key, facts, counted: undefined, takes: undefined };
}

/** Facts as the memo keeps them: of one shape, and without the request's text. */
function remembered({ model, streaming, label }: RequestFacts): RequestFacts {
  const own = ownText(label);
  return model === undefined ? { streaming, label: own } : { model: ownText(model), streaming, label: own };
}

/** A call without its headers, its body understood. @throws TapedeckError `tapedeck_bad_request`. */
export function protocolRequest(call: RequestOfCall, operation: string): ProtocolRequest {
  const body = readBody({ body: call.body, operation, ...contentTypeOf(call.headers) });
  return { provider: call.provider, method: call.method, path: call.path, body };
}
