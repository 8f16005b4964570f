import type { CassetteStore } from "../core/cassette/store.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import type { RemoteSettings } from "./settings.ts";

/** What a transfer works with. Everything of the cache that fails ends it: what was moved before is whole. */
export interface Transfer {
  /** The workspace's cassette folder, absolute. */
  readonly dir: string;
  /** What is recorded in it, without what came from the team. */
  readonly folder: CassetteStore;
  readonly store: RemoteStore;
  readonly settings: RemoteSettings;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, of: number) => void;
}
