import type { PatienceLimits } from "./patience.ts";

/**
 * Objects of a team, by name. Names are those of the cassette folder's entries under a scope, e.g.
 * "trusted/calls/openai/3f/3f9a….json". Every method rejects with a TapedeckError `tapedeck_remote` (see `faultOf`), or
 * with the signal's reason once that is aborted.
 */
export interface RemoteStore {
  /** What the engine is, for messages: "s3://bucket/prefix", "redis://host:6379/0", "/mnt/team". Never a credential. */
  readonly name: string;
  /** What the probe at the start found. */
  readonly access: RemoteAccess;
  /** What a person should know although nothing failed, as whole sentences. */
  readonly notes: readonly string[];
  /** Bytes of an object, whole; undefined where there is none. */
  get(name: string, signal: AbortSignal): Promise<Uint8Array | undefined>;
  /** Adds where nothing stands there; never replaces. */
  add(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<"added" | "taken">;
  /**
   * Names that begin with `prefix`, which may end within a segment, in any order, page by page. What is there and has
   * no object's name is left out.
   */
  list(prefix: string, signal: AbortSignal): AsyncIterable<readonly string[]>;
  /** Renews the life of an object that was read, where the engine evicts or expires. */
  touch(name: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** `why` says what is missing for writing; undefined where nobody asked to write. */
export type RemoteAccess =
  | { readonly mayWrite: true }
  | { readonly mayWrite: false; readonly why: string | undefined };

/** Larger objects are neither read nor written, in bytes: as much as a recording may have, and what is wrapped around it. */
export const MOST_BYTES = 256 * 1_048_576 + 4_096;

/** Longer ones some engine would not take: S3 has 1,024 bytes with the prefix, file systems 255 for a segment. */
const MOST_CHARACTERS = 700;
const NAME = /^[A-Za-z0-9_%-][A-Za-z0-9._%-]{0,199}(?:\/[A-Za-z0-9_%-][A-Za-z0-9._%-]{0,199})*$/;

/** Whether a name can be an object's on every engine: ASCII segments with "/" between, none empty or beginning with a dot. */
export const isObjectName = (name: string): boolean => name.length <= MOST_CHARACTERS && NAME.test(name);

/** @throws Error where a name or the beginning of one cannot be an object's: nobody makes such a name but by a bug. */
export function expectName(name: string): void {
  if (!isObjectName(name)) throw new Error(`"${name}" is not the name of an object`);
}

export function expectPrefix(prefix: string): void {
  if (prefix !== "" && !isObjectName(prefix.endsWith("/") ? `${prefix}x` : prefix))
    throw new Error(`"${prefix}" is not how the name of an object begins`);
}

export interface OpenOptions {
  /** Whether anything is to be added. Without it nothing of the remote is changed, not even to try whether it could be. */
  readonly write: boolean;
  /** Ends the opening. */
  readonly signal: AbortSignal;
  /** How long it is waited for, in other measures than the usual ones. */
  readonly limits?: PatienceLimits;
}
