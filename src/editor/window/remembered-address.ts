import type * as vscode from "vscode";
import { randomBytes } from "node:crypto";

/** The address that a workspace's terminals call. Stored across windows, so that open terminals keep working. */
export interface ServerAddress {
  readonly port: number;
  readonly token: string;
}

export interface AddressPlaces {
  readonly memento: vscode.Memento;
  readonly secrets: Pick<vscode.SecretStorage, "get" | "store">;
  readonly key: string;
  /** `vscode.env.sessionId`: changes when the window reloads, but not when only the extensions restart. */
  readonly session: string;
}

/**
 * Stores the token in VS Code's secret storage, which the system's keyring encrypts. It is removed from the workspace's
 * state once the secret has outlived a session: without a keyring, secrets are lost, and open terminals would fail.
 */
export function createRememberedAddress({ memento, secrets, key, session }: AddressPlaces) {
  const tokenOf = (secret: string): Promise<string | undefined> =>
    Promise.resolve(secrets.get(secret)).catch(() => undefined);
  return {
    /** Undefined if no address is remembered, or its token is unknown. */
    async read() {
      const kept = memento.get<unknown>(key);
      const named = namedSecret(kept);
      if (named === undefined) return addressFrom(kept);
      const { port, secret } = named;
      const address = addressFrom(kept);
      if (address === undefined) return addressFrom({ port, token: await tokenOf(secret) });
      const lasts = named.session !== session && (await tokenOf(secret)) === address.token;
      if (lasts) await memento.update(key, { port, secret });
      return address;
    },
    async keep(address: ServerAddress) {
      const before = namedSecret(memento.get<unknown>(key));
      const secret = before?.secret ?? `address ${randomBytes(12).toString("hex")}`;
      await memento.update(key, { ...address, secret, session });
      await secrets.store(secret, address.token);
    },
  };
}

interface NamedSecret {
  readonly port: number;
  readonly secret: string;
  readonly session: unknown;
}

/** Undefined for other values. */
function namedSecret(kept: unknown): NamedSecret | undefined {
  if (typeof kept !== "object" || kept === null || !("port" in kept) || !("secret" in kept)) return undefined;
  const { port, secret } = kept;
  const session = "session" in kept ? kept.session : undefined;
  return typeof port === "number" && typeof secret === "string" ? { port, secret, session } : undefined;
}

const MAX_PORT = 65_535;

/** Reads a stored address; undefined for other values. */
function addressFrom(value: unknown): ServerAddress | undefined {
  if (typeof value !== "object" || value === null || !("port" in value) || !("token" in value))
    return undefined;
  const { port, token } = value;
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > MAX_PORT) return undefined;
  return typeof token === "string" && /^[\w-]{22,}$/u.test(token) ? { port, token } : undefined;
}
