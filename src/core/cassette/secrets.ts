import { percentDecoded } from "../wire/percent.ts";

/** Query parameters that carry a credential; they are neither kept nor part of the key. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  "key",
  "api_key",
  "api-key",
  "apikey",
  "access_token",
  "token",
]);

/** The path and query without parameters that carry a credential. */
export function withoutCredentials(path: string): string {
  const [pathname, query] = splitQuery(path);
  if (query === undefined) return path;
  const kept = query.split("&").filter((pair) => !CREDENTIAL_PARAMETERS.has(nameOfParameter(pair)));
  return kept.length === 0 ? pathname : `${pathname}?${kept.join("&")}`;
}

export function splitQuery(path: string): readonly [string, string?] {
  const at = path.indexOf("?");
  return at < 0 ? [path] : [path.slice(0, at), path.slice(at + 1)];
}

export function nameOfParameter(pair: string): string {
  return percentDecoded(pair.split("=", 1)[0] ?? "").toLowerCase();
}
