import { randomBytes } from "node:crypto";
import type * as vscode from "vscode";
import { addressFrom, type Address } from "./session-server.ts";

/** Where a workspace's terminals call, from one window to the next. */
export interface RememberedAddress {
  /** Undefined where none is remembered, or nobody knows its token any more. */
  read(): Promise<Address | undefined>;
  keep(address: Address): Promise<void>;
}

export interface AddressPlaces {
  readonly memento: vscode.Memento;
  readonly secrets: Pick<vscode.SecretStorage, "get" | "store">;
  /** Of the memento. */
  readonly key: string;
}

/**
 * The token is a secret of VS Code's, which the system's keyring encrypts; the workspace's state has the port and the
 * secret's name. Where secrets do not last (no keyring, or it is locked), the state has the token as well: otherwise
 * the terminals that are open would not work after a reload.
 */
export function rememberedAddress({ memento, secrets, key }: AddressPlaces): RememberedAddress {
  let secretsLast = true;
  const keepInState = async (address: Address): Promise<void> => memento.update(key, address);
  return {
    async read() {
      const kept = memento.get<unknown>(key);
      const plain = addressFrom(kept);
      if (plain !== undefined) {
        secretsLast = false;
        return plain;
      }
      const named = namedSecret(kept);
      if (named === undefined) return undefined;
      const token = await Promise.resolve(secrets.get(named.secret)).catch(() => undefined);
      const address = addressFrom({ port: named.port, token });
      secretsLast = address !== undefined;
      return address;
    },
    async keep(address) {
      if (!secretsLast) return keepInState(address);
      const secret =
        namedSecret(memento.get<unknown>(key))?.secret ?? `address ${randomBytes(12).toString("hex")}`;
      try {
        await secrets.store(secret, address.token);
      } catch {
        return keepInState(address);
      }
      await memento.update(key, { port: address.port, secret });
    },
  };
}

interface NamedSecret {
  readonly port: number;
  readonly secret: string;
}

/** Undefined for anything else. */
function namedSecret(kept: unknown): NamedSecret | undefined {
  if (typeof kept !== "object" || kept === null || !("port" in kept) || !("secret" in kept)) return undefined;
  const { port, secret } = kept;
  return typeof port === "number" && typeof secret === "string" ? { port, secret } : undefined;
}
