import type { SpelledCredential } from "../cassette/find-credentials.ts";
import type { WireHeaders } from "../call.ts";
import type { Scan } from "./scanner.ts";

/** Headers of a reply without those that hold a credential of its call, or what `scan` takes for a secret. */
export function withoutSecretHeaders(
  headers: WireHeaders,
  credentials: readonly SpelledCredential[],
  scan: Scan | undefined,
): WireHeaders {
  if (headers.length === 0) return headers;
  const isIn = (value: string): boolean =>
    credentials.some(({ spellings }) => spellings.some((spelling) => value.includes(spelling)));
  return headers.filter(([, value]) => !isIn(value) && (scan?.(value).length ?? 0) === 0);
}
