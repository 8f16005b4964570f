import type { Duplex } from "node:stream";
import { localize } from "../../core/base/localize.ts";

/** The TLS connections of clients, by host. */
export type TrustByHost = Map<string, HostTrust>;

interface HostTrust {
  open: number;
  /** Whether a client has sent something over one of them. */
  isProven: boolean;
}

interface TrustOptions {
  readonly trust: TrustByHost;
  /** Receives a message for the user. */
  readonly onNotice: (message: string) => void;
}

/**
 * Reports a client that does not trust our certificate. Some clients say so in the handshake, others close the connection
 * after it. Go also closes spare connections then, so a host with a used or an open connection is not reported.
 * Returns a function to call when the client sends something.
 */
export function watchTrust(secure: Duplex, host: string, { trust, onNotice }: TrustOptions): () => void {
  const connections = trust.get(host) ?? { open: 0, isProven: false };
  trust.set(host, connections);
  connections.open += 1;
  let isSecure = false;
  let hasSpoken = false;
  secure.once("secure", () => (isSecure = true));
  secure.once("end", () => hasSpoken || secure.destroy());
  secure.once("close", () => {
    connections.open -= 1;
    const isTrusted = hasSpoken || (isSecure && (connections.isProven || connections.open > 0));
    if (!isTrusted)
      onNotice(
        localize(
          "A client rejected Tapedeck's certificate for {0}, because it uses its own list or pins the certificate. Set its base URL instead (docs/clients.md).",
          host,
        ),
      );
  });
  return () => {
    hasSpoken = true;
    connections.isProven = true;
  };
}
