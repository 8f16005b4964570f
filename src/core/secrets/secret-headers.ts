import { credentialsOf, type CarriedBy } from "../cassette/credentials.ts";
import { spellingsOf } from "../cassette/spellings.ts";
import type { WireHeaders } from "../call.ts";
import type { Scan } from "./scanner.ts";

/** Headers of a reply without those that hold a credential of its call, or what `scan` takes for a secret. */
export function withoutSecretHeaders(
  headers: WireHeaders,
  call: CarriedBy,
  scan: Scan | undefined,
): WireHeaders {
  if (headers.length === 0) return headers;
  const credentials = credentialsOf(call).flatMap(({ value }) => spellingsOf(value));
  return headers.filter(
    ([, value]) => !credentials.some((one) => value.includes(one)) && (scan?.(value).length ?? 0) === 0,
  );
}
