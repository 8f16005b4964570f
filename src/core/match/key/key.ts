import { compareTexts } from "../../base/compare.ts";
import type { Key, WireHeaders } from "../../call/call.ts";
import {
  isCredentialHeader,
  isCredentialParameter,
  type HeaderRules,
  type KeyedRequest,
  type RequestHeaders,
} from "../../cassette/recorded-request.ts";
import type { JsonObject, JsonTree } from "../../base/json/json-tree.ts";
import { withoutRpcNumbers } from "../../protocol/base/http.ts";
import { replaceValues, replaceValuesIn } from "../origins/values.ts";
import { readParts, type RequestBody } from "../../base/read-body.ts";

/** Returns the SHA-256 as 64 lowercase hexadecimal digits; a string is hashed as UTF-8. */
export type Sha256 = (data: Uint8Array | string) => string;

/** Changes with every change of the canonical form, so that keys of two versions are never equal. */
const VERSION = "tapedeck-v1";

/**
 * Returns the text whose hash is the key. Its first line is a JSON array of strings: version tag, provider, operation,
 * method in upper case, path and query (see `normalizeAddress`), kind of body, then name and value of each header in the
 * key. The body follows after the line feed:
 *
 * - `json`: its canonical JSON;
 * - `multipart`: a JSON array with [name, filename, content type, SHA-256 of the content] of each part, in order;
 * - `bytes`: the SHA-256 of the body;
 * - `empty`: nothing.
 *
 * The array contains no line feed, so that no two requests share a text.
 * @throws TapedeckError `tapedeck_bad_request` for an invalid multipart body.
 */
export function formatCanonicalRequest(request: KeyedRequest, sha256: Sha256): string {
  const { path, query } = normalizeAddress(request.path, request.provider);
  const body = canonicalBody(request.body, sha256);
  const { provider, operation } = request;
  const head = [VERSION, provider, operation, request.method.toUpperCase(), path, query, body.kind];
  head.push(...withHiddenValues(listKeyHeaders(request), sha256).flat());
  return `${JSON.stringify(head)}\n${body.text}`;
}

function canonicalBody(body: RequestBody, sha256: Sha256): { readonly kind: string; readonly text: string } {
  if (body.kind === "empty") return { kind: "empty", text: "" };
  if (body.kind === "json") return { kind: "json", text: writeCanonicalJson(body.tree) };
  const parts = readParts(body);
  if (parts === undefined) return { kind: "bytes", text: sha256(body.bytes) };
  const rows = parts.map(({ name, filename, contentType, content }) => [
    name,
    filename,
    contentType,
    sha256(content),
  ]);
  return { kind: "multipart", text: JSON.stringify(rows) };
}

/**
 * Returns the canonical text of a JSON value: two values have the same text if and only if they are equal. It is RFC 8785
 * except for numbers that a double does not represent exactly: these keep their digits (see `writeCanonicalNumber`).
 */
export function writeCanonicalJson(tree: JsonTree): string {
  if (typeof tree === "string") return JSON.stringify(tree);
  if (typeof tree !== "object" || tree === null) return String(tree);
  if ("number" in tree) return writeCanonicalNumber(tree.number);
  return "members" in tree ? canonicalObject(tree) : canonicalArray(tree);
}

function canonicalArray(elements: readonly JsonTree[]): string {
  let text = "[";
  for (const element of elements) text += (text === "[" ? "" : ",") + writeCanonicalJson(element);
  return `${text}]`;
}

function canonicalObject({ members }: JsonObject): string {
  let text = "{";
  for (const [name, value] of members.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    text += `${text === "{" ? "" : ","}${JSON.stringify(name)}:${writeCanonicalJson(value)}`;
  return `${text}}`;
}

/** Numbers that ECMAScript writes the same way: up to 15 digits, not tiny, and without superfluous zeros. */
const AS_WRITTEN = /^(?:0|-?(?:[1-9][0-9]{0,14}|(?:0|[1-9][0-9]{0,8})\.[0-9]{0,5}[1-9]))$/;

/**
 * Returns the canonical spelling of a number's exact decimal value: as ECMAScript writes it if that denotes the same
 * value, otherwise its digits and a power of ten ("9007199254740993e0", "1e400"). Cheap for any exponent.
 */
export function writeCanonicalNumber(lexeme: string): string {
  if (AS_WRITTEN.test(lexeme)) return lexeme;
  const exact = exactDecimal(lexeme);
  const double = Number(lexeme);
  if (!Number.isFinite(double)) return exact;
  const written = String(double === 0 ? 0 : double);
  return exactDecimal(written) === exact ? written : exact;
}

/** Returns the digits without zeros at either end, and the power of ten of the last one. Zero has neither sign nor power. */
function exactDecimal(lexeme: string): string {
  const [mantissa = "", power = "0"] = lexeme.toLowerCase().split("e");
  const [whole = "", fraction = ""] = mantissa.replace("-", "").split(".");
  const digits = whole + fraction;
  let start = 0;
  let end = digits.length;
  while (start < end && digits.charAt(start) === "0") start += 1;
  while (end > start && digits.charAt(end - 1) === "0") end -= 1;
  if (start === end) return "0";
  const shift = digits.length - end - fraction.length;
  const sign = mantissa.startsWith("-") ? "-" : "";
  return `${sign}${digits.slice(start, end)}e${addToPower(power, shift)}`;
}

/** Adds to a written power, which may have more digits than a double can represent. */
function addToPower(power: string, shift: number): string {
  return power.length < 15
    ? String(Number(power) + shift)
    : String(BigInt(power.replace("+", "")) + BigInt(shift));
}

/** Applies a project's rules to a request. Must give the same result for recording and lookup. */
export interface Normalizer extends RulesOfHeaders {
  /** Returns the body without its volatile parts. */
  body(request: KeyedRequest): RequestBody;
}

/**
 * Returns the request as it is compared by its key: with origins in the places of generated values, and without the parts that
 * rules ignore.
 */
export function normalizeRequest<T extends KeyedRequest>(request: T, normalize: Normalizer | undefined): T {
  const origins = withOrigins(request);
  const named = request.operation === "http" ? withoutRpcNumbers(origins) : origins;
  if (normalize === undefined) return named;
  return withHeaderRules({ ...named, body: normalize.body(named) }, normalize);
}

function withOrigins<T extends KeyedRequest>(request: T): T {
  const { values = [], path, body } = request;
  if (values.length === 0) return request;
  return {
    ...request,
    path: replaceValues(path, values),
    body: body.kind === "json" ? { ...body, tree: replaceValuesIn(body.tree, values) } : body,
  };
}

/**
 * Returns the message key, which is equal for identical calls. See `formatCanonicalRequest` for its parts.
 * @throws TapedeckError `tapedeck_bad_request` for an invalid multipart body.
 */
export function computeKey(request: KeyedRequest, sha256: Sha256, normalize?: Normalizer): Key {
  return `sha256:${sha256(formatCanonicalRequest(normalizeRequest(request, normalize), sha256))}`;
}

/** A request's path and query in the normalized form that is part of the key. */
export interface NormalizedAddress {
  readonly path: string;
  /** Pairs sorted by name, then value, joined by "&"; "" if there are none. Excludes credentials. */
  readonly query: string;
}

/**
 * Returns the address of a request to `provider` with normalized percent-encoding (RFC 3986 6.2.2: unreserved characters
 * decoded, hexadecimal digits in upper case), a sorted query, and no credentials, which are not recorded either. Keeps
 * "+", because not every server reads it as a blank.
 */
export function normalizeAddress(pathAndQuery: string, provider: string): NormalizedAddress {
  const { path, query } = split(pathAndQuery);
  const pairs = query
    .split("&")
    .filter((pair) => pair !== "" && !isCredentialParameter(pair, provider))
    .map(normalizePercent);
  return { path: normalizePercent(path), query: pairs.toSorted(byNameThenValue).join("&") };
}

/** Returns the pairs of a normalized query: names and values, still encoded. */
export function listQueryPairs(query: string): readonly (readonly [name: string, value: string])[] {
  return query === ""
    ? []
    : query.split("&").map((pair) => [pairName(pair), pair.slice(pairName(pair).length + 1)]);
}

function split(pathAndQuery: string): { readonly path: string; readonly query: string } {
  const mark = pathAndQuery.indexOf("?");
  if (mark < 0) return { path: pathAndQuery, query: "" };
  return { path: pathAndQuery.slice(0, mark), query: pathAndQuery.slice(mark + 1) };
}

function pairName(pair: string): string {
  const mark = pair.indexOf("=");
  return mark < 0 ? pair : pair.slice(0, mark);
}

const byNameThenValue = (a: string, b: string): number =>
  compareTexts(pairName(a), pairName(b)) || compareTexts(a, b);

function normalizePercent(text: string): string {
  return text.replace(/%[0-9a-fA-F]{2}/g, (encoded) => {
    const char = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(char) ? char : encoded.toUpperCase();
  });
}

/** A project's header rules; undefined for a request to which none applies. */
export interface RulesOfHeaders {
  headers(request: AskedOperation): HeaderRules | undefined;
}

interface AskedOperation {
  readonly provider: string;
  readonly operation: string;
}

/** Values that clients send by default. They do not change the answer, so the header is left out of the key. */
const USUAL: Readonly<Record<string, RegExp>> = {
  accept: /^(?:\*\/\*|application\/(?:\*|json))\s*(?:;|$)/,
  "anthropic-version": /^2023-06-01$/,
  // Bodies of these types either show their type (JSON, multipart) or have no specific one.
  "content-type":
    /^(?:application\/octet-stream|text\/plain|multipart\/[^;]*|[^/;]+\/(?:json|[^;]+\+json))\s*(?:;|$)/,
};

/** Adds the project's header rules to a request. */
export function withHeaderRules<T extends AskedOperation>(
  request: T,
  rules: RulesOfHeaders | undefined,
): T & { readonly headerRules?: HeaderRules } {
  const headerRules = rules?.headers(request);
  return headerRules === undefined ? request : { ...request, headerRules };
}

/** Returns the headers that are part of a request's key, sorted by name, in normalized spelling. */
export function listKeyHeaders(request: RequestHeaders): WireHeaders {
  const ignored = request.headerRules?.ignored;
  const kept = listAllKeyHeaders(request);
  return ignored === undefined ? kept : kept.filter(([name]) => !ignored.has(name));
}

/** Like `listKeyHeaders`, but with headers that rules ignore. Recordings keep these, to compute their exact keys. */
export function listAllKeyHeaders({ operation, headers = [], headerRules }: RequestHeaders): WireHeaders {
  const counted = headerRules?.counted;
  const mayTell = (name: string): boolean => counted?.has(name) === true || countsInKey(name, operation);
  const telling = headers.filter(([name]) => mayTell(name));
  if (telling.length === 0) return telling;
  const values = new Map<string, string[]>();
  for (const [name, value] of telling)
    values.set(name, [...(values.get(name) ?? []), ...itemsOf(name, value)]);
  return [...values]
    .filter(([name, items]) => items.length > 0 && (counted?.has(name) === true || !isUsual(name, items)))
    .map(([name, items]) => [name, (isSet(name) ? sortedSet(items) : items).join(", ")] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function isUsual(name: string, items: readonly string[]): boolean {
  return items.some((item) => USUAL[name]?.test(item) === true);
}

function itemsOf(name: string, value: string): readonly string[] {
  if (name === "content-type") return [typeOf(value)];
  const items = value.split(",").map((item) => item.trim());
  return items.filter((item) => item !== "").map((item) => (name === "accept" ? item.toLowerCase() : item));
}

/** Normalizes the spelling and drops `charset=utf-8`, which is the default. */
function typeOf(value: string): string {
  const [type = "", ...parameters] = value.split(";").map((one) => one.trim().toLowerCase());
  return [type, ...parameters.filter((one) => one !== "" && one !== "charset=utf-8")].join("; ");
}

/** Whether a header lists feature names, whose order and repetition do not matter. */
const isSet = (name: string): boolean => name === "anthropic-beta";

const sortedSet = (items: readonly string[]): readonly string[] => [...new Set(items)].toSorted();

/**
 * Replaces each value that may be a credential with its SHA-256, because headers are written into recordings. Different
 * values still have different keys. Leaves a hash as it is.
 */
export function withHiddenValues(headers: WireHeaders, sha256: (text: string) => string): WireHeaders {
  if (!headers.some(([, value]) => mayHoldCredential(value))) return headers;
  return headers.map(([name, value]) => [name, mayHoldCredential(value) ? `sha256:${sha256(value)}` : value]);
}

/** 16 or more consecutive letters and digits, mixed, as in keys and tokens but not in model names. */
function mayHoldCredential(value: string): boolean {
  if (/^sha256:[0-9a-f]{64}$/.test(value)) return false;
  const runs = value.match(/[A-Za-z0-9]{16,}/g) ?? [];
  return runs.some((run) => /[A-Za-z]/.test(run) && /\d/.test(run));
}

/**
 * Whether a header of a request is part of its key. For an unknown operation (`http`), any header may determine the
 * answer: the model of Vercel's AI Gateway, the action of an AWS service, the offset of an upload. It counts unless it
 * is one of `IGNORED`. A known operation is described by its path and body, so only `COUNTED` headers count.
 */
function countsInKey(name: string, operation: string): boolean {
  // Bedrock answers in the form that is accepted.
  const mayCount =
    operation === "http"
      ? !IGNORED.some((pattern) => pattern.test(name))
      : name === "accept" && operation === "invoke";
  return (mayCount || COUNTED.test(name)) && !isCredentialHeader(name);
}

/**
 * Headers that change the answer of any operation. The SDKs below send those of OpenAI, Anthropic, and Bedrock. The others
 * are in RFC 9110 and 7240, in the API references of Google (Vertex AI's throughput), Alibaba, Groq, Azure (image
 * deployment, content policy, extra parameters), Hugging Face, and OpenRouter (passes betas on), and in those of the
 * gateways Portkey and Helicone, which choose a provider by header.
 */
const COUNTED = new RegExp(
  `^(?:${[
    "if-modified-since|if-none-match|last-event-id|prefer|range|x-http-method-override",
    "(?:x-)?anthropic-beta|anthropic-version",
    "openai-beta",
    "x-amzn-bedrock-[a-z-]+",
    "x-goog-fieldmask",
    "x-vertex-ai-llm-[a-z-]+",
    "x-dashscope-(?:async|datainspection|ossresourceresolve)",
    "groq-model-version",
    "azureml-model-deployment|extra-parameters|x-ms-oai-image-generation-deployment|x-policy-id",
    "x-use-cache|x-wait-for-model",
    "x-portkey-(?:config|provider|virtual-key|custom-host|azure-[a-z-]+|aws-region|vertex-[a-z-]+)",
    "helicone-(?:target-url|target-provider|openai-api-base|model-override|fallbacks)",
  ].join("|")})$`,
);

/**
 * Headers that do not affect the answer, in addition to credential headers. Checked in 2026-11 by running each of these
 * SDKs twice against a stub; the second run was replayed. npm: openai 6.49, @anthropic-ai/sdk 1.14, replicate 1.4,
 * @ai-sdk/gateway 3.0, @google/genai 2.32, cohere-ai 8.1, @mistralai/mistralai 2.7, @huggingface/inference 4.13, and
 * @aws-sdk/client-(bedrock-runtime, sagemaker-runtime, comprehend) 3.1164. PyPI: openai 3.57, anthropic 2.14, boto3 1.44,
 * dashscope 2.0, google-genai 3.6, cohere 7.3, mistralai 3.7, and replicate 1.0. The others are the documented headers of
 * proxies, tracers, gateways, and editors.
 */
const IGNORED: readonly RegExp[] = [
  // The connection and the transport; the body is decoded before it is compared.
  /^(?:connection|keep-alive|proxy-.+|te|trailer|transfer-encoding|upgrade|via|forwarded|x-forwarded-.+|x-real-ip|host|expect|max-forwards|content-length|content-encoding|content-md5|digest|content-digest|x-goog-hash|cache-control|pragma)$/,
  // Browsers, and the clients that imitate them.
  /^(?:sec-.+|accept-(?:language|encoding|charset)|dnt|priority|save-data|upgrade-insecure-requests|origin|referer|http-referer|x-requested-with)$/,
  // Requests, sessions, and traces of them.
  /(?:^|[-_])(?:request|correlation|trace|span|session|transaction|invocation|idempotency|call|event|interaction|machine|device|installation|ray)[-_]?(?:id|key|uuid)?$/,
  /trace|^(?:baggage|b3|x-b3-.+|newrelic|x-datadog-.+|x-instana-.+|x-ot-.+|sentry-.+|langsmith-.+|ai-o11y-.+)$/,
  // Gateways' logs.
  /^(?:x-portkey-(?:metadata|debug|span-.+)|helicone-(?:property-.+|session-.+|user-id|prompt-.+)|x-langfuse-.+|cf-aig-metadata|x-litellm-(?:tags|spend-logs-metadata))$/,
  // Versions and names of clients and applications, and who pays.
  /^(?:user-agent|.+-user-agent|x-goog-api-client|x-goog-user-project|x-goog-quota-user|.+-sdk-client|x-client-.+|x-ms-client-.+|x-ms-useragent|x-stainless-.+|x-fern-.+|x-sdk-.+|x-app|x-title|editor-.+|vscode-.+|copilot-integration-id|x-initiator|x-openrouter-.+|x-hf-bill-to|openai-(?:organization|project)|anthropic-dangerous-direct-browser-access)$/,
  // Attempts, times, and what AWS signs with.
  /retry|timeout|(?:^|-)(?:date|timestamp|nonce)$|^(?:amz-sdk-.+|x-amz-content-sha256|x-amz-checksum-.+|x-amz-sdk-checksum-algorithm)$/,
  /^x-tapedeck-/,
];
