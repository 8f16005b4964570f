import type { WireHeaders } from "../../call.ts";
import { countsInKey } from "./header-names.ts";

/** What rules of a project say of headers of a request, by lower-case names. */
export interface HeaderRules {
  /** Those that take part besides those that `countsInKey` names. */
  readonly counted: ReadonlySet<string>;
  readonly ignored: ReadonlySet<string>;
}

/** Rules of a project, as far as they are about headers; undefined where they say nothing of a request's. */
export interface RulesOfHeaders {
  headers(request: AskedOperation): HeaderRules | undefined;
}

interface AskedOperation {
  readonly provider: string;
  readonly operation: string;
}

/** A request as far as its headers may take part in its key. */
export interface RequestHeaders {
  readonly operation: string;
  /** All of them, or those that were recorded; absent where nobody looked at them when it was recorded. */
  readonly headers?: WireHeaders;
  readonly headerRules?: HeaderRules;
}

/** What clients send by themselves: who says one of these gets what everybody gets. */
const USUAL: Readonly<Record<string, RegExp>> = {
  accept: /^(?:\*\/\*|application\/(?:\*|json))\s*(?:;|$)/,
  "anthropic-version": /^2023-06-01$/,
  // What the body is, it tells by itself, or nobody does.
  "content-type":
    /^(?:application\/octet-stream|text\/plain|multipart\/[^;]*|[^/;]+\/(?:json|[^;]+\+json))\s*(?:;|$)/,
};

/** A request together with what rules say of its headers. */
export function withHeaderRules<T extends AskedOperation>(
  request: T,
  rules: RulesOfHeaders | undefined,
): T & { readonly headerRules?: HeaderRules } {
  const headerRules = rules?.headers(request);
  return headerRules === undefined ? request : { ...request, headerRules };
}

/** The headers that take part in a request's key, sorted by name, in one spelling. */
export function keyHeaders(request: RequestHeaders): WireHeaders {
  const ignored = request.headerRules?.ignored;
  const kept = keptForKey(request);
  return ignored === undefined ? kept : kept.filter(([name]) => !ignored.has(name));
}

/** As `keyHeaders`, with those that rules leave out: what a recording keeps, so that its exact key follows from it. */
export function keptForKey({ operation, headers = [], headerRules }: RequestHeaders): WireHeaders {
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

/** In one spelling; UTF-8 is what a text is in anyway. */
function typeOf(value: string): string {
  const [type = "", ...parameters] = value.split(";").map((one) => one.trim().toLowerCase());
  return [type, ...parameters.filter((one) => one !== "" && one !== "charset=utf-8")].join("; ");
}

/** Names of features, of which neither order nor number counts. */
const isSet = (name: string): boolean => name === "anthropic-beta";

const sortedSet = (items: readonly string[]): readonly string[] => [...new Set(items)].toSorted();

/**
 * The same headers with the SHA-256 of each value that may be a credential in its place: they are written into
 * recordings, and two of them are still told apart. Leaves a hash as it is.
 */
export function withHiddenValues(headers: WireHeaders, sha256: (text: string) => string): WireHeaders {
  if (!headers.some(([, value]) => mayHoldCredential(value))) return headers;
  return headers.map(([name, value]) => [name, mayHoldCredential(value) ? `sha256:${sha256(value)}` : value]);
}

/** 16 or more letters and digits in a row, mixed, as keys and tokens have and names of models do not. */
function mayHoldCredential(value: string): boolean {
  if (/^sha256:[0-9a-f]{64}$/.test(value)) return false;
  const runs = value.match(/[A-Za-z0-9]{16,}/g) ?? [];
  return runs.some((run) => /[A-Za-z]/.test(run) && /\d/.test(run));
}
