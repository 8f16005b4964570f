import { clock } from "../../src/deck/clock.ts";
import type { RemoteStore } from "../../src/remote/remote-store.ts";
import { createFolderStore } from "../../src/storage/folder/folder-store.ts";
import { createTeamStore, type TeamStore } from "../../src/storage/team/team-store.ts";
import { teamLayerOf } from "../../src/storage/team/team-layer.ts";
import type { RemoteSettings } from "../../src/team/settings.ts";
import { createTeamCache } from "../../src/team/team-cache.ts";

interface Over {
  readonly dir: string;
  readonly settings: RemoteSettings;
  readonly open: (signal: AbortSignal) => Promise<RemoteStore>;
}

type StoreOver = Omit<TeamStore, "close"> & { close(): Promise<void> };

/** A folder's store over a cache that a test opens: nothing is said of it, and nobody waits for other machines. */
export function aStoreOver({ dir, settings, open }: Over): StoreOver {
  let waitedMs = 0;
  const cache = createTeamCache({
    dir,
    settings,
    // Whoever waits for another machine has waited at once.
    clock: { ...clock, ticks: () => clock.ticks() + waitedMs, wait: async (ms) => void (waitedMs += ms) },
    warn: () => {},
    open,
  });
  const layerDir = teamLayerOf(dir, settings.scope);
  const parts = { dir, layerDir, folder: createFolderStore(dir), layer: createFolderStore(layerDir) };
  const store = createTeamStore({ ...parts, access: cache, warn: () => {} });
  return {
    ...store,
    async close() {
      await store.written();
      await cache.close();
    },
  };
}
