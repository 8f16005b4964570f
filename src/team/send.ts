import type { RemoteStore } from "../remote/remote-store.ts";
import { sealObject } from "../remote/sealed/seal.ts";
import type { TeamKeys } from "../remote/sealed/team-keys.ts";
import { blobObjectOf, objectOf } from "./names.ts";

/** Whom something is asked of, or sent to. */
export interface Scoped {
  readonly store: RemoteStore;
  readonly signal: AbortSignal;
  readonly keys: TeamKeys;
  readonly scope: string;
}

export interface Sending extends Scoped {
  /** Whether what is sent is encrypted with the team's key. */
  readonly encrypt: boolean;
}

export interface Sent {
  readonly bytes: Uint8Array;
  readonly blobs: ReadonlyMap<string, Uint8Array>;
}

/** Adds a recording where nothing stands, after the large bodies that it names. @throws what the store does. */
export async function send(entry: string, { bytes, blobs }: Sent, to: Sending): Promise<"added" | "taken"> {
  for (const [hash, blob] of blobs) await addSealed(blobObjectOf(to.scope, hash), blob, to);
  return addSealed(objectOf(to.scope, entry), bytes, to);
}

/** @throws what the store does. */
export function addSealed(
  name: string,
  bytes: Uint8Array,
  { store, signal, keys, encrypt }: Sending,
): Promise<"added" | "taken"> {
  return store.add(name, sealObject(name, bytes, keys, { encrypt }), signal);
}
