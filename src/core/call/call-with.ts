import type { Call } from "./call.ts";

/**
 * Copies a call with another path and body, and optionally another provider or test. Members of a call may be getters
 * of its class, so spreading it would lose them: each member is read here, and `signal` only on access.
 */
export function copyCallWith(
  call: Call,
  {
    path,
    body,
    provider = call.provider,
    test = call.test,
  }: Pick<Call, "path" | "body"> & Partial<Pick<Call, "provider" | "test">>,
): Call {
  const { method, headers, run, token, origin, cassette } = call;
  return {
    provider,
    method,
    path,
    headers,
    body,
    get signal() {
      return call.signal;
    },
    run,
    ...(token !== undefined && { token }),
    ...(origin !== undefined && { origin }),
    ...(test !== undefined && { test }),
    ...(cassette !== undefined && { cassette }),
  };
}
