import { httpProtocol } from "../protocol/base/http.ts";
import { createUnknownProvider } from "../base/errors.ts";
import { callWith } from "../call/call-with.ts";
import type { Call, CallGroup, Key, Miss, WireHeaders } from "../call/call.ts";
import { chooseFraming, type Framing } from "../base/wire/framing.ts";
import type { CassetteStore } from "../cassette/store.ts";
import type { TrialTakes } from "../cassette/trial-takes.ts";
import type { GeneratedValue, RecordedRequest, Recording } from "../cassette/recording.ts";
import { findValues, textsOf, type ValueSearch } from "./origins/find-values.ts";
import { createIdTable } from "./origins/reply-ids.ts";
import { isReplyId } from "./origins/values.ts";
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

import { isJson, findContentType, copyText } from "../base/wire/text.ts";

/** A request with its provider, operation, key, and facts. */
export interface ReadRequest {
  readonly provider: Provider;
  readonly protocol: Protocol;
  /** With the origins of generated values in their places. */
  readonly key: Key;
  /** Values of known origin in the request; absent if there are none. */
  readonly values?: readonly GeneratedValue[];
  /** The key of the request as it was sent, if it has values of known origin. */
  readonly literalKey?: Key;
  /** The values that are ids of earlier replies; absent if there are none. */
  readonly links?: readonly GeneratedValue[];
  /**
   * Read on first use, which a replay never needs.
   * @throws TapedeckError `tapedeck_bad_request` for a body that the operation does not take.
   */
  readonly facts: RequestFacts;
  /** The headers that are recorded. */
  readonly headers: WireHeaders;
}

/** The parts of a call from which its request is read. */
export type RequestOfCall = Pick<Call, "provider" | "method" | "path" | "headers" | "contentType" | "body">;

export interface RequestReaderParts extends Pick<RequestReading, "providers" | "sha256"> {
  /** Returns the project's rules for keys; undefined if there are none. */
  readonly normaliser?: () => Normaliser | undefined;
  /** How to find generated values; absent if there is nothing to find. */
  readonly origins?: OriginSearch;
  readonly store: CassetteStore;
}

/** Finds generated values in the requests of a deck. */
export interface OriginSearch {
  /** Matches each request that can have a value that no process reports, such as a date. */
  readonly hint: RegExp;
  /** Returns undefined if the project does not match by origin. */
  prepare(call: Call): ValueSearch | undefined;
}

export type RequestReader = (call: Call) => ReadRequest;

/** Creates the function that reads the requests of an engine, under the present rules. */
export function createRequestReader({
  providers,
  sha256,
  normaliser = () => undefined,
  origins,
  store,
}: RequestReaderParts): RequestReader {
  const protocolAt = rememberProtocols(providers);
  return (call) => {
    const found = protocolAt(call);
    const reading = { providers, sha256, normalise: normaliser() };
    const literal = readRequest(call, found, reading);
    const { provider, key } = literal;
    // A recording of the request as it was sent wins. Searching for values takes longer than the rest of a replay.
    const isRecorded = (): boolean => store.takes(provider.name, key).length > 0;
    const search = searchFor(call, origins, isRecorded);
    return search === undefined ? literal : readRequest(call, found, { ...reading, search });
  };
}

const decoder = new TextDecoder();

/** A token that may be an id of an earlier reply. */
const ID_HINT = /_\d|\b(?:file|batch|chatcmpl)-\w|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{6}/;

function searchFor(
  call: Call,
  origins: OriginSearch | undefined,
  isRecorded: () => boolean,
): ValueSearch | undefined {
  const { run, path, body } = call;
  if (origins === undefined && run.replies === undefined) return undefined;
  let decoded: string | undefined;
  const matches = (hint: RegExp | undefined): boolean =>
    hint !== undefined && (hint.test(path) || hint.test((decoded ??= decoder.decode(body))));
  const replies = run.replies !== undefined && matches(ID_HINT) ? createIdTable(call) : undefined;
  const mayHaveValues = run.values !== undefined || matches(origins?.hint);
  if (replies === undefined && (!mayHaveValues || isRecorded())) return undefined;
  const search = origins === undefined ? NOTHING_ELSE : origins.prepare(call);
  return search && replies ? { ...search, replies } : search;
}

const NOTHING_ELSE: ValueSearch = { places: [], now: 0, since: 0, zones: new Set() };

const REMEMBERED_ADDRESSES = 256;

/** Remembers the operation of each address, unless a header decides between operations. */
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
 * OpenAI's client for Azure in JavaScript prefers `OPENAI_BASE_URL` to `AZURE_OPENAI_ENDPOINT`, so that Azure's calls and
 * keys arrive under the name of OpenAI. Only Azure's have an API version in their query. If the user configured another
 * address for OpenAI, the calls are meant for that address.
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
  /** Absent if values are compared as they are. */
  readonly search?: ValueSearch | undefined;
}

/**
 * Reads the request of a call.
 * @throws TapedeckError `tapedeck_refused` for an unknown provider, `tapedeck_bad_request` for a body that cannot be read.
 */
export function readRequest(
  call: RequestOfCall,
  found: ReturnType<ProviderTable["protocolFor"]>,
  { providers, sha256, normalise, search }: RequestReading,
): ReadRequest {
  if (found === undefined) throw createUnknownProvider(call.provider, providers.names);
  const { provider, protocol } = found;
  const request = protocolRequest({ call, protocol });
  const keyed = { ...request, operation: protocol.operation, headers: call.headers };
  const values = search === undefined ? [] : valuesOf(request, search);
  const key = computeKey(values.length === 0 ? keyed : { ...keyed, values }, sha256, normalise);
  const literalKey = values.length === 0 ? undefined : computeKey(keyed, sha256, normalise);
  const links = search?.replies === undefined ? [] : values.filter(isReplyId);
  let facts: RequestFacts | undefined;
  return {
    provider,
    protocol,
    key,
    ...(literalKey !== undefined && { literalKey, values }),
    ...(links.length > 0 && { links }),
    get facts() {
      return (facts ??= ownFacts(protocol.facts(request)));
    },
    get headers() {
      return withHiddenValues(keptForKey(withHeaderRules(keyed, normalise)), sha256);
    },
  };
}

/** Returns the request without origins if the store has a recording of the request as it was sent. */
export function preferLiteral(read: ReadRequest, store: Pick<CassetteStore, "takes">): ReadRequest {
  const { literalKey, provider, protocol, links } = read;
  if (literalKey === undefined || store.takes(provider.name, literalKey).length === 0) return read;
  return {
    provider,
    protocol,
    key: literalKey,
    ...(links && { links }),
    get facts() {
      return read.facts;
    },
    get headers() {
      return read.headers;
    },
  };
}

function valuesOf({ path, body }: ProtocolRequest, search: ValueSearch): readonly GeneratedValue[] {
  const texts = body.kind === "json" ? textsOf(body.tree) : [];
  return findValues([path, ...texts], search);
}

/** Facts without the request's text, which a piece cut from it would keep in memory. */
function ownFacts({ model, streaming, label }: RequestFacts): RequestFacts {
  const own = copyText(label);
  return model === undefined ? { streaming, label: own } : { model: copyText(model), streaming, label: own };
}

/** Reads the request of a call, without its headers. @throws TapedeckError `tapedeck_bad_request`. */
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
  return contentType === undefined ? findContentType(headers).contentType : contentType || undefined;
}

/** A request of a recording or of a missed call. */
export type DescribedRequest = Pick<Recording | Miss, "provider" | "operation"> & {
  readonly request: RecordedRequest;
};

/** A request and its operation. */
export interface OperationRequest extends ProtocolRequest {
  readonly operation: string;
  /** Headers that may be part of its key, if they are known. */
  readonly headers?: WireHeaders;
  /** Values whose origins are in the key in their places. */
  readonly values?: RecordedRequest["values"];
}

/** Reads a recorded or missed request, for protocols and comparisons. @throws TapedeckError if its body cannot be read. */
export function operationRequest({ provider, operation, request }: DescribedRequest): OperationRequest {
  const { method, path, body, contentType, headers, values } = request;
  const tree = contentType === undefined && body[0] === OPEN_BRACE ? parseJsonBytes(body) : undefined;
  const read: RequestBody = tree ? { kind: "json", tree } : readBody({ body, operation, contentType });
  return {
    provider,
    operation,
    method,
    path,
    body: read,
    ...(headers && { headers }),
    ...(values && { values }),
  };
}

/** Reads a recorded or missed request in the form that determines its key. @throws TapedeckError if its body cannot be read. */
export function ruledRequest(
  described: DescribedRequest,
  normalise: Normaliser | undefined,
): OperationRequest {
  return normaliseRequest(operationRequest(described), normalise);
}

/** Returns the protocol of a recorded request; plain HTTP if its provider is no longer configured. */
export function protocolOf(
  { provider, operation, request }: DescribedRequest,
  providers: ProviderTable,
): Protocol {
  const { method, path } = request;
  return providers.protocolFor({ provider, method, path, operation })?.protocol ?? httpProtocol;
}

/** A call that is being answered, with its provider, operation, key, and position among identical calls. */
export interface Exchange {
  /** The call for lookup, recording, and display. */
  readonly call: Call;
  /** The call as it arrived and is forwarded, with the secrets that the project redacts in `call`. */
  readonly sent: Call;
  readonly provider: Provider;
  readonly protocol: Protocol;
  readonly key: Key;
  readonly facts: RequestFacts;
  /** Headers that are recorded; absent if its recordings are from a version that did not record headers. */
  readonly headers?: WireHeaders;
  /** Values of the request that the key replaces by their origins; absent if there are none. */
  readonly values?: readonly GeneratedValue[];
  /** Ids of earlier replies in the request; absent if there are none. */
  readonly links?: readonly GeneratedValue[];
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
  return chooseFraming(contentType) ?? inJson;
}
