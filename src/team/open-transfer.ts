import { createFolderStore } from "../storage/folder/folder-store.ts";
import type { RemoteSettings } from "./settings.ts";
import type { Transfer } from "./transfer.ts";

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
      folder.close();
      await store.close();
    },
  };
}
