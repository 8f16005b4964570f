import type { Clock } from "../core/clock.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import type { Connection } from "./connection.ts";
import type { RemoteSettings } from "./settings.ts";

export interface TeamCounts {
  /** Recordings that were brought here. */
  brought: number;
  /** New recordings that were added there. */
  added: number;
  /** New recordings that could not be added, and are here alone. */
  unsent: number;
}

export interface TeamCacheParts {
  /** The workspace's cassette folder, absolute. */
  readonly dir: string;
  readonly settings: RemoteSettings;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  /** In place of the engine that the address names. */
  readonly open?: (signal: AbortSignal) => Promise<RemoteStore>;
}

/** What the parts of a cache in use share. */
export interface Using extends TeamCacheParts {
  readonly connection: Connection;
  readonly counts: TeamCounts;
  /** Where what comes is written: an absolute path. */
  readonly layer: () => Promise<string>;
}
