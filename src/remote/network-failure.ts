import type { TapedeckError } from "../core/errors.ts";
import { codeOf } from "../storage/folder/failures.ts";
import { notReached, remoteFailure } from "./failures.ts";
import { thrownText } from "../core/thrown-text.ts";
import { isLoopback } from "../core/protocol/upstream-address.ts";

/** Why a certificate does not count. Source: nodejs.org/api/tls.html, X509 certificate error codes, 2026-11. */
const UNTRUSTED = new Set([
  "CERT_CHAIN_TOO_LONG",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "INVALID_CA",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

/** What the network said, in the terms of a remote. */
export function networkFailure(name: string, error: unknown): TapedeckError {
  const code = codeOf(error) ?? "";
  const message = errorText(error);
  if (UNTRUSTED.has(code))
    return remoteFailure("wrong", name, `has a certificate that this machine does not trust: ${message}.`, {
      hint: "Set NODE_EXTRA_CA_CERTS to the file of the authority that signed it. Certificates are always checked.",
      cause: error,
    });
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return remoteFailure("wrong", name, `has a certificate that does not count today: ${message}.`, {
      hint: "Renew it there, or set the clock of this machine.",
      cause: error,
    });
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID")
    return remoteFailure("wrong", name, "has the certificate of another host.", {
      hint: "Use the name that stands in the certificate.",
      cause: error,
    });
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return remoteFailure("wrong", name, "does not speak TLS there, or not in a way that this machine does.", {
      hint: "Check port and scheme: redis:// and http:// are without TLS, rediss:// and https:// with it.",
      cause: error,
    });
  return notReached(name, message, error);
}

/**
 * A server that was never up and keeps silent when TLS begins, or hangs up when it does not, may speak the other.
 * `schemes`: how an address begins without TLS, and with it.
 */
export function mayBeTls(
  name: string,
  { tls, schemes: [plain, withTls] }: { readonly tls: boolean; readonly schemes: readonly [string, string] },
  cause: unknown,
): TapedeckError {
  const [speaks, write, instead] = tls ? ["no TLS", plain, withTls] : ["TLS", withTls, plain];
  const what = tls ? "keeps silent." : "closed the connection at once.";
  return remoteFailure(tls ? "slow" : "down", name, what, {
    hint: `Check host and port. Where it speaks ${speaks}, write ${write} for ${instead}.`,
    cause,
  });
}

/** Where several addresses were tried, the error has no text of its own. */
function errorText(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(errorText).join("; ");
  return thrownText(error);
}

/** What to say of a connection that is not encrypted; nothing where it does not leave this machine. */
export function notEncrypted(name: string, host: string): readonly string[] {
  if (isLoopback(host) || host === "::1") return [];
  return [
    `The connection to ${name} is not encrypted: who is on the way can read what is recorded, and a password of Redis.`,
  ];
}
