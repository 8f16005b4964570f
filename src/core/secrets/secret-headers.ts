import type { SpelledCredential } from "../cassette/find-credentials.ts";
import type { WireHeaders } from "../call.ts";
import { secretsIn } from "./readings.ts";
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
  const saysSecret = (value: string): boolean => {
    if (scan === undefined) return false;
    const { plain, encoded } = secretsIn(value, scan);
    return plain.length + encoded.length > 0;
  };
  return headers.filter(([, value]) => !isIn(value) && !saysSecret(value));
}
