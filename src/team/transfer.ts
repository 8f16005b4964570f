import type { CassetteStore } from "../core/cassette/store.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import type { RemoteSettings } from "./settings.ts";
import { createFolderStore } from "../storage/folder/folder-store.ts";

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

/** A transfer that ends with `close`, or when its signal is aborted. */
export interface OpenTransfer extends Transfer {
  close(): Promise<void>;
}

/** @throws TapedeckError `tapedeck_remote` where the cache cannot be used. */
export async function openTransfer(
  dir: string,
  settings: RemoteSettings,
  signal: AbortSignal = new AbortController().signal,
): Promise<OpenTransfer> {
  const { openRemote } = await import("../remote/open-remote.ts");
  const store = await openRemote(settings.address, { write: settings.writes, signal });
  const folder = createFolderStore(dir);
  return {
    dir,
    folder,
    store,
    settings,
    signal,
    async close() {
      await store.close();
    },
  };
}
