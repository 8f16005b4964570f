import { httpProtocol } from "../protocol/base/http.ts";
import { unknownProvider } from "../base/errors.ts";
import { callWith, type Call, type CallGroup, type Key, type Miss, type WireHeaders } from "../call/call.ts";
import { framingOf, type Framing } from "../base/wire/framing.ts";
import type { TrialTakes } from "../cassette/trial-takes.ts";
import type { RecordedRequest, Recording } from "../cassette/recording.ts";
import { parseJsonBytes } from "../base/json/json-parse.ts";
import { readBody, type RequestBody } from "../base/read-body.ts";
import {
  computeKey,
  keptForKey,
  normaliseRequest,
  withHeaderRules,
  withHiddenValues,
  type Normaliser,
  type Sha256,
} from "./key/key.ts";
import type { Protocol, ProtocolRequest, Provider, RequestFacts } from "../protocol/base/protocol.ts";
import type { ProviderTable } from "../protocol/registry.ts";

import { isJson, contentTypeOf, ownText } from "../base/wire/text.ts";

/** What is known of a request before anyone answers. */
export interface ReadRequest {
  readonly provider: Provider;
  readonly protocol: Protocol;
  readonly key: Key;
  /**
   * Read on first use, which a replay never needs.
   * @throws TapedeckError `tapedeck_bad_request` for a body that the operation does not take.
   */
  readonly facts: RequestFacts;
  /** The headers that are recorded. */
  readonly headers: WireHeaders;
}

/** What of a call takes part in reading its request. */
export type RequestOfCall = Pick<Call, "provider" | "method" | "path" | "headers" | "contentType" | "body">;

export interface RequestReaderParts extends Pick<RequestReading, "providers" | "sha256"> {
  /** What is left out of keys now; undefined where nothing is. */
  readonly normaliser?: () => Normaliser | undefined;
}

export type RequestReader = (call: RequestOfCall) => ReadRequest;

/** Returns what reads the requests of an engine, under the rules of the moment. */
export function createRequestReader({
  providers,
  sha256,
  normaliser = () => undefined,
}: RequestReaderParts): RequestReader {
  const protocolAt = rememberProtocols(providers);
  return (call) => readRequest(call, protocolAt(call), { providers, sha256, normalise: normaliser() });
}

const REMEMBERED_ADDRESSES = 256;

/** What calls to an address mean is looked for once, where no header decides between operations. */
function rememberProtocols(providers: ProviderTable) {
  const known = new Map<string, ReturnType<ProviderTable["protocolFor"]>>();
  return (call: RequestOfCall): ReturnType<ProviderTable["protocolFor"]> => {
    const address = `${call.provider}\n${call.method}\n${call.path}`;
    const before = known.get(address);
    if (before !== undefined) return before;
    const found = providers.protocolFor(call);
    if (found === undefined || found.provider.dialect.operations.some((one) => "chosenBy" in one))
      return found;
    if (known.size >= REMEMBERED_ADDRESSES) known.clear();
    known.set(address, found);
    return found;
  };
}

/**
 * OpenAI's client for Azure in JavaScript takes `OPENAI_BASE_URL` before `AZURE_OPENAI_ENDPOINT`, so that Azure's calls
 * and keys come to the name of OpenAI. Only Azure's have a version of the API in their query. Where the user gave
 * OpenAI an address of their own, that is where the client would have gone.
 * Source: openai-node `src/azure.ts`, 2026-11.
 */
export function meantProvider(call: Call, providers: ProviderTable): Call {
  if (call.origin !== undefined || call.provider !== "openai" || !call.path.includes("api-version="))
    return call;
  if (providers.get("openai")?.isUsersOwn === true || !/[?&]api-version=/.test(call.path)) return call;
  const path = call.path.startsWith("/openai/")
    ? call.path
    : `/openai${call.path.replace(/^\/v1(?=\/)/, "")}`;
  return callWith(call, { provider: "azure", path, body: call.body });
}

export interface RequestReading {
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
  { providers, sha256, normalise }: RequestReading,
): ReadRequest {
  if (found === undefined) throw unknownProvider(call.provider, providers.names);
  const { provider, protocol } = found;
  const request = protocolRequest({ call, protocol });
  const keyed = { ...request, operation: protocol.operation, headers: call.headers };
  const key = computeKey(keyed, sha256, normalise);
  let facts: RequestFacts | undefined;
  return {
    provider,
    protocol,
    key,
    get facts() {
      return (facts ??= ownFacts(protocol.facts(request)));
    },
    get headers() {
      return withHiddenValues(keptForKey(withHeaderRules(keyed, normalise)), sha256);
    },
  };
}

/** Facts without the request's text, which a piece cut from it would keep in memory. */
function ownFacts({ model, streaming, label }: RequestFacts): RequestFacts {
  const own = ownText(label);
  return model === undefined ? { streaming, label: own } : { model: ownText(model), streaming, label: own };
}

/** A call without its headers, its body understood. @throws TapedeckError `tapedeck_bad_request`. */
export function protocolRequest({
  call,
  protocol: { operation },
}: {
  readonly call: RequestOfCall;
  readonly protocol: Pick<Protocol, "operation">;
}): ProtocolRequest {
  const { provider, method, path, contentType } = call;
  const tree = contentType === JSON_TYPE && call.body.byteLength > 0 ? parseJsonBytes(call.body) : undefined;
  const body: RequestBody = tree
    ? { kind: "json", tree }
    : readBody({ body: call.body, operation, contentType: typeOf(call) });
  return { provider, method, path, body };
}

const JSON_TYPE = "application/json";
const OPEN_BRACE = 0x7b;

function typeOf({ contentType, headers }: RequestOfCall): string | undefined {
  return contentType === undefined ? contentTypeOf(headers).contentType : contentType || undefined;
}

/** A request of a recording or of a missed call. */
export type DescribedRequest = Pick<Recording | Miss, "provider" | "operation"> & {
  readonly request: RecordedRequest;
};

/** A request together with the operation as which it was recognised. */
export interface OperationRequest extends ProtocolRequest {
  readonly operation: string;
  /** Headers that may be part of its key, if they are known. */
  readonly headers?: WireHeaders;
}

/** A recorded or missed request as protocols and comparisons take it. @throws TapedeckError where its body cannot be read. */
export function operationRequest({ provider, operation, request }: DescribedRequest): OperationRequest {
  const { method, path, body, contentType, headers } = request;
  const tree = contentType === undefined && body[0] === OPEN_BRACE ? parseJsonBytes(body) : undefined;
  const read: RequestBody = tree ? { kind: "json", tree } : readBody({ body, operation, contentType });
  return { provider, operation, method, path, body: read, ...(headers && { headers }) };
}

/** A recorded or missed request as its key sees it. @throws TapedeckError where its body cannot be read. */
export function ruledRequest(
  described: DescribedRequest,
  normalise: Normaliser | undefined,
): OperationRequest {
  return normaliseRequest(operationRequest(described), normalise);
}

/** The protocol under which a request was recorded; plain HTTP where its provider is no longer configured. */
export function protocolOf(
  { provider, operation, request }: DescribedRequest,
  providers: ProviderTable,
): Protocol {
  const { method, path } = request;
  return providers.protocolFor({ provider, method, path, operation })?.protocol ?? httpProtocol;
}

/** A call together with all that is known of it before anyone answers. */
export interface Exchange {
  /** As it is looked up, kept and shown. */
  readonly call: Call;
  /** As it came and as it is forwarded, with the secrets that a project redacts in `call`. */
  readonly sent: Call;
  readonly provider: Provider;
  readonly protocol: Protocol;
  readonly key: Key;
  readonly facts: RequestFacts;
  /** Headers that are recorded; absent if its recordings are from a version that did not record headers. */
  readonly headers?: WireHeaders;
  /** 1-based position among the identical calls of its scope. */
  readonly ordinal: number;
  /** The identical calls that were made together with it, if known. */
  readonly group?: CallGroup;
  /** Present if each trial of a test has its own takes. */
  readonly trial?: TrialTakes;
}

/** Returns the framing of a reply. Some protocols stream one JSON array, which the content type does not reveal. */
export function framingFor(
  { protocol, facts }: Pick<Exchange, "protocol" | "facts">,
  contentType: string | undefined,
): Framing | undefined {
  const inJson = facts.streaming && isJson(contentType) ? protocol.stream?.inJson : undefined;
  return framingOf(contentType) ?? inJson;
}
