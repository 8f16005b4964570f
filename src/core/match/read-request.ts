import { httpProtocol } from "../protocol/base/http.ts";
import { createUnknownProvider } from "../base/errors.ts";
import { copyCallWith } from "../call/call-with.ts";
import type { Call, CallGroup, Key, Miss, WireHeaders } from "../call/call.ts";
import { chooseFraming, type Framing } from "../base/wire/framing.ts";
import type { CassetteStore, RecordingReplacement } from "../cassette/store.ts";
import type { TrialTakes } from "../cassette/trial-takes.ts";
import type { GeneratedValue, RecordedRequest, Recording } from "../cassette/recording.ts";
import { findNamedIds, findValues, listValueTexts, type ValueSearch } from "./origins/find-values.ts";
import { UNMADE } from "./origins/hints.ts";
import { createIdTable } from "./origins/reply-ids.ts";
import { isReplyId } from "./origins/values.ts";
import { parseJsonBytes } from "../base/json/json-parse.ts";
import type { KeyedRequest } from "../cassette/recorded-request.ts";
import { readBody, type RequestBody } from "../base/read-body.ts";
import {
  computeKey,
  listAllKeyHeaders,
  normalizeRequest,
  withHeaderRules,
  withHiddenValues,
  type Normalizer,
  type Sha256,
} from "./key/key.ts";
import type { Protocol, ProtocolRequest, Provider, RequestFacts } from "../protocol/base/protocol.ts";
import type { ProviderTable } from "../protocol/registry.ts";
import { isJson, findContentType, copyText } from "../base/wire/text.ts";

/** A request with its provider, operation, key, and facts. */
export interface ReadRequest {
  readonly provider: Provider;
  readonly protocol: Protocol;
  /** With the origins of generated values in their places, unless the request is recorded as it was sent. */
  readonly key: Key;
  /** Values whose origins are in the key; absent if there are none. */
  readonly values?: readonly GeneratedValue[];
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
  readonly normalizer?: () => Normalizer | undefined;
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
  normalizer = () => undefined,
  origins,
  store,
}: RequestReaderParts): RequestReader {
  const protocolAt = rememberProtocols(providers);
  const searchFor = createSearch(origins);
  return (call) => {
    const reading = { providers, sha256, normalize: normalizer() };
    const parsed = parseRequest(call, protocolAt(call), providers);
    const literal = describeRequest(parsed, reading);
    if (origins === undefined && call.run.replies === undefined) return literal;
    // A recording of the request as it was sent wins. Searching for values takes longer than the rest of a replay.
    let recorded: boolean | undefined;
    const isRecorded = (): boolean =>
      (recorded ??= store.takes(literal.provider.name, literal.key).length > 0);
    const search = searchFor(call, isRecorded);
    if (search === undefined) return literal;
    const { request } = parsed;
    const texts = textsOfRequest(request);
    const values = isRecorded() ? findNamedIds(texts, search) : findValues(texts, search, request.body);
    return values.length === 0
      ? literal
      : describeRequest(parsed, { ...reading, key: isRecorded() ? literal.key : undefined, values });
  };
}

/** Tokens that may be ids of earlier replies. Words that end in a short number, such as "look_up_12", are none. */
const ID_HINT = new RegExp(
  [
    // A prefix that only ids have. The pattern begins behind it, because most texts have few dashes.
    String.raw`[_-](?<=(?:\b|\\[bfnrt]|%[0-9A-Fa-f]{2})(?:resp|msg|msgbatch|call|toolu|chatcmpl|batch|conv|thread|asst|vs|file)[_-])(?=[\w-]{0,64}\d)`,
    String.raw`_\d{5}`,
    // Letters and digits mixed, unlike in "base64". The pattern begins with the digit, because most texts have few.
    String.raw`\d(?:(?<=(?<![A-Za-z0-9])(?=[A-Za-z0-9]{6})(?![A-Z]?[a-z]{2,8}\d{1,2}(?![A-Za-z0-9]))[A-Za-z]{1,64}\d)|(?=[A-Za-z])(?<=(?<![A-Za-z0-9])(?=[A-Za-z0-9]{6})\d{1,64}))`,
  ].join("|"),
);

/** Creates a function that chooses how to search a call. Undefined: not at all. A call recorded as sent: for ids only. */
function createSearch(origins: OriginSearch | undefined) {
  const hint = origins?.hint;
  const decoder = new TextDecoder();
  return (call: Call, isRecorded: () => boolean): ValueSearch | undefined => {
    const { run, path, body } = call;
    let decoded: string | undefined;
    const matches = (pattern: RegExp): boolean =>
      pattern.test(path) || pattern.test((decoded ??= decoder.decode(body)));
    const replies = run.replies !== undefined && matches(ID_HINT) ? createIdTable(call) : undefined;
    if (replies === undefined && run.values !== undefined && isRecorded()) return undefined;
    run.values?.readMore();
    if (replies === undefined) {
      const isReported = run.values !== undefined && (run.values.hasMade || UNMADE.some(matches));
      if ((!isReported && !(hint && matches(hint))) || isRecorded()) return undefined;
    }
    const search = origins ? origins.prepare(call) : { places: [], now: 0, since: 0, zones: [] };
    return search && replies ? { ...search, replies } : search;
  };
}

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
export function correctProvider(call: Call, providers: ProviderTable): Call {
  if (call.origin !== undefined || call.provider !== "openai" || !call.path.includes("api-version="))
    return call;
  if (providers.get("openai")?.isUsersOwn === true || !/[?&]api-version=/.test(call.path)) return call;
  const path = call.path.startsWith("/openai/")
    ? call.path
    : `/openai${call.path.replace(/^\/v1(?=\/)/, "")}`;
  return copyCallWith(call, { provider: "azure", path, body: call.body });
}

export interface RequestReading {
  readonly providers: ProviderTable;
  readonly sha256: Sha256;
  readonly normalize: Normalizer | undefined;
}

/**
 * Reads the request of a call. Values are compared as they are, unless their origins are known.
 * @throws TapedeckError `tapedeck_refused` for an unknown provider, `tapedeck_bad_request` for a body that cannot be read.
 */
export function readRequest(
  call: RequestOfCall,
  found: ReturnType<ProviderTable["protocolFor"]>,
  reading: RequestReading & Pick<RequestDescription, "values">,
): ReadRequest {
  return describeRequest(parseRequest(call, found, reading.providers), reading);
}

interface ParsedRequest {
  readonly provider: Provider;
  readonly protocol: Protocol;
  readonly request: ProtocolRequest & Pick<KeyedRequest, "operation" | "headers">;
}

function parseRequest(
  call: RequestOfCall,
  found: ReturnType<ProviderTable["protocolFor"]>,
  providers: ProviderTable,
): ParsedRequest {
  if (found === undefined) throw createUnknownProvider(call.provider, providers.names);
  const { provider, protocol } = found;
  const { operation } = protocol;
  return {
    provider,
    protocol,
    request: { ...readProtocolRequest({ call, protocol }), operation, headers: call.headers },
  };
}

interface RequestDescription extends Omit<RequestReading, "providers"> {
  /** Present if the values do not change it. */
  readonly key?: Key | undefined;
  /** Values of known origin. */
  readonly values?: readonly GeneratedValue[] | undefined;
}

function describeRequest(
  { provider, protocol, request }: ParsedRequest,
  { sha256, normalize, key: literalKey, values = [] }: RequestDescription,
): ReadRequest {
  const hasOrigins = literalKey === undefined && values.length > 0;
  const key = literalKey ?? computeKey(hasOrigins ? { ...request, values } : request, sha256, normalize);
  const links = values.filter(isReplyId);
  let facts: RequestFacts | undefined;
  return {
    provider,
    protocol,
    key,
    ...(hasOrigins && { values }),
    ...(links.length > 0 && { links }),
    get facts() {
      return (facts ??= ownFacts(protocol.facts(request)));
    },
    get headers() {
      return withHiddenValues(listAllKeyHeaders(withHeaderRules(request, normalize)), sha256);
    },
  };
}

const textsOfRequest = ({ path, body }: ProtocolRequest): readonly string[] => [
  path,
  ...(body.kind === "json" ? listValueTexts(body.tree) : []),
];

/** Facts without the request's text, which a piece cut from it would keep in memory. */
function ownFacts({ model, streaming, label }: RequestFacts): RequestFacts {
  const own = copyText(label);
  return model === undefined ? { streaming, label: own } : { model: copyText(model), streaming, label: own };
}

/** Reads the request of a call, without its headers. @throws TapedeckError `tapedeck_bad_request`. */
export function readProtocolRequest({
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
export function readOperationRequest({ provider, operation, request }: DescribedRequest): OperationRequest {
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
export function readRuledRequest(
  described: DescribedRequest,
  normalize: Normalizer | undefined,
): OperationRequest {
  return normalizeRequest(readOperationRequest(described), normalize);
}

/** Returns the protocol of a recorded request; plain HTTP if its provider is no longer configured. */
export const findProtocol = (
  { provider, operation, request: { method, path } }: DescribedRequest,
  providers: ProviderTable,
): Protocol => providers.protocolFor({ provider, method, path, operation })?.protocol ?? httpProtocol;

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
  /** The recordings of earlier calls that were made again for it. They are replaced together with its own. */
  readonly renewed?: () => readonly RecordingReplacement[];
  /** 1-based position among the identical calls of its scope. */
  readonly ordinal: number;
  /** The identical calls that were made together with it, if known. */
  readonly group?: CallGroup;
  /** Present if each trial of a test has its own takes. */
  readonly trial?: TrialTakes;
}

/** Returns the framing of a reply. Some protocols stream one JSON array, which the content type does not reveal. */
export function chooseReplyFraming(
  { protocol, facts }: Pick<Exchange, "protocol" | "facts">,
  contentType: string | undefined,
): Framing | undefined {
  const inJson = facts.streaming && isJson(contentType) ? protocol.stream?.inJson : undefined;
  return chooseFraming(contentType) ?? inJson;
}
