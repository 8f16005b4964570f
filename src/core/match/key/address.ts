import { withoutCredentials } from "../../cassette/secrets.ts";

/** A request's path and query in the one form that takes part in the key. */
export interface Address {
  readonly path: string;
  /** Pairs sorted by name, then value, joined by "&"; "" where there is none. Credentials are left out. */
  readonly query: string;
}

/**
 * The address of a request to `provider`. Normalises percent-encoding (RFC 3986 6.2.2: unreserved characters decoded, hexadecimal digits in upper case),
 * sorts the query and leaves credentials out, as they are left out of files. "+" stays as it is: not every server
 * reads it as a blank.
 */
export function normaliseAddress(pathAndQuery: string, provider: string): Address {
  const { path, query } = split(withoutCredentials(pathAndQuery, provider));
  const pairs = query
    .split("&")
    .map(normalisePercent)
    .filter((pair) => pair !== "");
  return { path: normalisePercent(path), query: pairs.toSorted(byNameThenValue).join("&") };
}

/** The pairs of a normalised query: names and values as they stand there, still encoded. */
export function queryPairs(query: string): readonly (readonly [name: string, value: string])[] {
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

const byNameThenValue = (a: string, b: string): number => compare(pairName(a), pairName(b)) || compare(a, b);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

function normalisePercent(text: string): string {
  return text.replace(/%[0-9a-fA-F]{2}/g, (encoded) => {
    const char = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9\-._~]/.test(char) ? char : encoded.toUpperCase();
  });
}
