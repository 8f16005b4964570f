import { percentDecoded } from "../wire/percent.ts";

/** Query parameters that are a credential by their names alone; they are neither kept nor part of the key. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  "api_key",
  "api-key",
  "apikey",
  "access_token",
]);

/** A credential with some, a user or a page with others. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["key", "token"]);

/** Providers that say which of these are one. Sources, 2026-11: ai.google.dev/api, Vertex AI's express mode. */
const CREDENTIALS_OF: Readonly<Record<string, readonly string[]>> = { gemini: ["key"], vertex: ["key"] };

/** The path and query without parameters that carry a credential of this provider. */
export function withoutCredentials(path: string, provider: string): string {
  const [pathname, query] = splitQuery(path);
  if (query === undefined) return path;
  const kept = query.split("&").filter((pair) => !isCredentialParameter(pair, provider));
  return kept.length === 0 ? pathname : `${pathname}?${kept.join("&")}`;
}

/** Whether a pair of a query is neither kept nor part of the key. */
export function isCredentialParameter(pair: string, provider: string): boolean {
  const name = nameOfParameter(pair);
  if (CREDENTIAL_PARAMETERS.has(name)) return true;
  if (!AMBIGUOUS.has(name)) return false;
  return CREDENTIALS_OF[provider]?.includes(name) === true || looksLikeCredential(pair);
}

/** What nobody types and no page is called: 20 characters or more, letters and digits mixed. */
function looksLikeCredential(pair: string): boolean {
  const value = percentDecoded(pair.slice(pair.indexOf("=") + 1));
  return /^[\w.~+/=-]{20,}$/.test(value) && /[A-Za-z]/.test(value) && /\d/.test(value);
}

export function splitQuery(path: string): readonly [string, string?] {
  const at = path.indexOf("?");
  return at < 0 ? [path] : [path.slice(0, at), path.slice(at + 1)];
}

export function nameOfParameter(pair: string): string {
  return percentDecoded(pair.split("=", 1)[0] ?? "").toLowerCase();
}
