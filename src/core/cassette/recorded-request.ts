import type { WireHeaders, Call } from "../call/call.ts";
import { isJsonArray, isJsonNumber, isJsonObject, type JsonTree } from "../base/json/json-tree.ts";
import { readFormFields } from "./form-fields.ts";
import { tryParseJson } from "../base/json/json-parse.ts";
import { findContentType, decodeUtf8, decodePercent } from "../base/wire/text.ts";
import type { RequestBody } from "../base/read-body.ts";
import type { RecordedRequest } from "./recording.ts";

/** Query parameters whose names show that they are credentials. They are neither kept nor part of the key. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  "api_key",
  "api-key",
  "apikey",
  "access_token",
]);

/** Parameters that are credentials for some providers, and users or pages for others. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["key", "token"]);

/** Providers that document one of these as a credential. Sources, 2026-11: ai.google.dev/api, Vertex AI's express mode. */
const CREDENTIALS_OF: Readonly<Record<string, readonly string[]>> = { gemini: ["key"], vertex: ["key"] };

/** Returns the path and query without parameters that hold a credential of this provider. */
export function withoutCredentials(path: string, provider: string): string {
  return withoutPairs(path, (pair) => isCredentialParameter(pair, provider));
}

/** Returns the path and query without the parameters of these names, which are in lower case. */
export function withoutParameters(path: string, names: readonly string[]): string {
  return names.length === 0 ? path : withoutPairs(path, (pair) => names.includes(getParameterName(pair)));
}

function withoutPairs(path: string, isLeftOut: (pair: string) => boolean): string {
  const [pathname, query] = splitQuery(path);
  if (query === undefined) return path;
  const kept = query.split("&").filter((pair) => !isLeftOut(pair));
  return kept.length === 0 ? pathname : `${pathname}?${kept.join("&")}`;
}

/** Whether a pair of a query is neither kept nor part of the key. */
export function isCredentialParameter(pair: string, provider: string): boolean {
  const name = getParameterName(pair);
  return CREDENTIAL_PARAMETERS.has(name) || CREDENTIALS_OF[provider]?.includes(name) === true;
}

/** Whether a pair that is part of the key may still be a credential, because of its name and value. */
export function mayBeCredential(pair: string): boolean {
  return isAmbiguous(getParameterName(pair)) && looksLikeCredential(getParameterValue(pair));
}

/** Whether a value is unlikely to be a word or the name of a page: 20 characters or more that mix letters and digits. */
export function looksLikeCredential(value: string): boolean {
  return /^[\w.~+/=-]{20,}$/.test(value) && /[A-Za-z]/.test(value) && /\d/.test(value);
}

/** Whether a parameter of this name is a credential for some providers, but not for others. */
export const isAmbiguous = (name: string): boolean => AMBIGUOUS.has(name);

export function splitQuery(path: string): readonly [string, string?] {
  const at = path.indexOf("?");
  return at < 0 ? [path] : [path.slice(0, at), path.slice(at + 1)];
}

export function getParameterName(pair: string): string {
  return decodePercent(pair.split("=", 1)[0] ?? "").toLowerCase();
}

export const getParameterValue = (pair: string): string => decodePercent(pair.slice(pair.indexOf("=") + 1));

/**
 * Returns the parts of a call that are kept and shown: the headers in `kept` and the content type, and the query without
 * credentials. If `kept` is absent, it is unknown whether other headers matter.
 */
export function createRecordedRequest(
  call: Pick<Call, "provider" | "method" | "path" | "headers" | "contentType" | "body">,
  kept: WireHeaders | undefined,
  values?: RecordedRequest["values"],
): RecordedRequest {
  const { provider, method, path, headers, body } = call;
  const contentType = call.contentType ?? findContentType(headers).contentType ?? "";
  const recorded = {
    method,
    path: withoutCredentials(path, provider),
    body,
    ...(contentType !== "" && { contentType }),
    ...(values !== undefined && { values }),
  };
  return kept === undefined ? recorded : { ...recorded, headers: kept };
}

/** A project's rules for headers of a request, by lowercase name. */
export interface HeaderRules {
  /** Headers that are part of the key in addition to those of `countsInKey`. */
  readonly counted: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

/** The parts of a request that decide which headers are in its key. */
export interface RequestHeaders {
  readonly operation: string;
  /** All headers, or the recorded ones; absent if the recording is from a version that did not record headers. */
  readonly headers?: WireHeaders;
  readonly headerRules?: HeaderRules;
}

/** The parts of a request that can be in its key: some headers (see `countsInKey`), and the query without credentials. */
export interface KeyedRequest extends RequestHeaders {
  readonly provider: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body: RequestBody;
  /** Values whose origins are in the key in their places. */
  readonly values?: RecordedRequest["values"];
}

/** A secret in a call. */
export interface Credential {
  /** Where it was in the call, without its value: "header authorization" or "tools[0].authorization of its body". */
  readonly place: string;
  readonly value: string;
  /** The name of its parameter in the query, a form, or a JSON body. */
  readonly parameter?: string;
}

/**
 * Parameters that a project names as a provider's credentials, in lower case: in the query, in a form, and in a JSON
 * body. Then no other `key` or `token` is a credential. Undefined if the project does not name the provider.
 */
export type NamedParameters = readonly string[] | undefined;

/** The parts of a call that can hold credentials. */
export interface CarriedBy {
  readonly headers: WireHeaders;
  /** Decides which parameters of the path are credentials. */
  readonly provider: string;
  readonly path: string;
  readonly named?: NamedParameters;
  /** The body as it was sent. The headers have its type. */
  readonly body?: Uint8Array;
  /** The token in the call's address, if it has one. */
  readonly token?: string | undefined;
}

/** Shorter values can be in any text by chance. */
const SHORTEST = 8;
/** Longer values are searched for by their beginning. */
const LONGEST = 1_024;

const HEADER = /auth|(?:api|subscription)-?key|token|secret|cookie|passw|credential|signature/;
const PARAMETER =
  /(?:api|subscription)[-_]?key|secret|passw|signature|credential|^sig$|(?:auth|bearer|id|refresh|security|session)[-_]?token$/;
const MEMBER =
  /^(?:x[-_])?(?:[\w-]{0,40}api[-_]?key|(?:access|auth|bearer|id|refresh|security|session)[-_]?token|authorization(?:[-_]token)?|(?:client|secret)[-_]?(?:secret|key)|secret|password|cookie)$/;

const MEMBERS = new RegExp(`"(?:token|${MEMBER.source.slice(1, -1)})"\\s{0,9}:`, "i");

/** Lists the credentials of a call by the names of its headers, query parameters, form fields, and members of its JSON body. */
export function listCredentials(carried: CarriedBy): readonly Credential[] {
  const { headers, token } = carried;
  const found: readonly Credential[] = [
    ...(token === undefined ? [] : [{ place: "its address", value: token }]),
    ...headers.filter(([name]) => isCredentialHeader(name)).flatMap(([name, value]) => inHeader(name, value)),
    ...inQuery(carried),
    ...treesOf(carried).flatMap((tree) => inBody(tree, "", carried.named)),
    ...inForm(carried),
  ];
  return found
    .filter(({ value }) => value.length >= SHORTEST)
    .map((one) => ({ ...one, value: one.value.slice(0, LONGEST) }));
}

export const isCredentialHeader = (name: string): boolean => HEADER.test(name);

function inHeader(name: string, value: string): readonly Credential[] {
  const [scheme = "", rest] = value.trim().split(/ (.*)/s, 2);
  const parts = (rest ?? scheme)
    .split(/[\s,]+/)
    // AWS names the headers that it signed.
    .filter((part) => !part.startsWith("SignedHeaders="))
    .flatMap((part) => part.split(";"))
    .map((part) => part.replace(/^"(.*)"$/, "$1"))
    // Either a pair of name and value, or a key that contains "=".
    .flatMap((part) => [part, part.replace(/^[\w-]+="?(?=.)/, "").replace(/"$/, "")]);
  const user = /^basic$/i.test(scheme) ? (fromBase64(rest ?? "")?.split(/:(.*)/s, 2) ?? []) : [];
  return [...parts, ...user].map((part) => ({ place: `header ${name}`, value: part }));
}

function inQuery({ path, provider, named }: CarriedBy): readonly Credential[] {
  const isOne = (pair: string): boolean =>
    isCredentialParameter(pair, provider) ||
    named?.includes(getParameterName(pair)) === true ||
    isCredentialPair(pair, named);
  return (splitQuery(path)[1] ?? "")
    .split("&")
    .filter(isOne)
    .map((pair) => ({
      place: "the query",
      value: getParameterValue(pair),
      parameter: getParameterName(pair),
    }));
}

/** Members with conversations and descriptions of arguments, which do not hold credentials of the call. */
const SAID = new Set([
  "messages",
  "input",
  "contents",
  "prompt",
  "system",
  "instructions",
  "parameters",
  "input_schema",
]);

/** Whether a member of a request's body holds a credential. `path`: names, outermost first. */
export function isCredentialMember(path: readonly string[], value: string, named?: NamedParameters): boolean {
  return mayCarry(path.at(-1) ?? "", value, named) && !isSaid(path);
}

/** Whether a member holds a credential that the project names. */
export function isNamedMember(path: readonly string[], named: readonly string[]): boolean {
  return named.includes((path.at(-1) ?? "").toLowerCase()) && !isSaid(path);
}

const isSaid = (path: readonly string[]): boolean => path.slice(0, -1).some((name) => SAID.has(name));

/** Whether a member of this name can hold a credential. A `token` that does not look like one is a page or a word. */
function mayCarry(member: string, value: string, named: NamedParameters): boolean {
  const name = member.toLowerCase();
  if (MEMBER.test(name) || named?.includes(name) === true) return true;
  return name === "token" && named === undefined && looksLikeCredential(value);
}

/** Whether a text may have a member with a credential. Reads the text once. */
export function mayHaveCredentialMember(json: string, named: NamedParameters): boolean {
  return MEMBERS.test(json) || mayHaveNamedMember(json, named ?? []);
}

/** Whether a text may have a member of one of these names, in any case. */
export function mayHaveNamedMember(json: string, named: readonly string[]): boolean {
  const names = named.map((name) => name.replaceAll(/[^\w-]/g, "[^]"));
  return names.length > 0 && new RegExp(`"(?:${names.join("|")})"`, "i").test(json);
}

/** Whether a pair of a query holds a credential that is not removed from it. */
export function isCredentialPair(pair: string, named?: NamedParameters): boolean {
  const name = getParameterName(pair);
  if (PARAMETER.test(name)) return !CREDENTIAL_PARAMETERS.has(name);
  return named === undefined && mayBeCredential(pair);
}

function inForm({ body, headers, named }: CarriedBy): readonly Credential[] {
  const { contentType } = findContentType(headers);
  if (body === undefined || !/form/i.test(contentType ?? "")) return [];
  return readFormFields(body, contentType)
    .filter(({ name }) => isCredentialField(name, named))
    .map(({ name, value }) => ({ place: `${name} of its body`, value, parameter: name.toLowerCase() }));
}

export function isCredentialField(name: string, named: NamedParameters): boolean {
  const lowercase = name.toLowerCase();
  if (named?.includes(lowercase) === true) return true;
  return CREDENTIAL_PARAMETERS.has(lowercase) || PARAMETER.test(lowercase) || MEMBER.test(lowercase);
}

/** Returns the JSON of a body: its value, or those of its lines that are JSON. */
function treesOf({ body = NOTHING, named }: CarriedBy): readonly JsonTree[] {
  const text = decodeUtf8(body) ?? "";
  // A name may be written with escapes.
  if (!mayHaveCredentialMember(text, named) && !text.includes("\\u")) return [];
  const whole = tryParseJson(text);
  return whole === undefined ? text.split("\n").flatMap((line) => tryParseJson(line) ?? []) : [whole];
}

const NOTHING = new Uint8Array();

function inBody(tree: JsonTree, place: string, named: NamedParameters): readonly Credential[] {
  if (tree === null || typeof tree !== "object" || isJsonNumber(tree)) return [];
  if (isJsonArray(tree)) return tree.flatMap((item, index) => inBody(item, `${place}[${index}]`, named));
  if (!isJsonObject(tree)) return [];
  return tree.members.flatMap(([name, value]) => {
    const inside = place === "" ? name : `${place}.${name}`;
    if (SAID.has(name)) return [];
    if (typeof value !== "string") return inBody(value, inside, named);
    return mayCarry(name, value, named)
      ? inHeader(name, value).map((found) => ({
          ...found,
          place: `${inside} of its body`,
          parameter: name.toLowerCase(),
        }))
      : [];
  });
}

function fromBase64(text: string): string | undefined {
  try {
    return atob(text);
  } catch {
    return undefined;
  }
}
