import { createFolderStore } from "../storage/folder/folder-store.ts";
import { teamLayerOf } from "../storage/team/team-layer.ts";
import { addressIn, allOf } from "./names.ts";
import { namesIn } from "./receive.ts";
import type { Transfer } from "./transfer.ts";

export interface RemoteStatus {
  /** Never with a credential. */
  readonly cache: string;
  readonly scope: string;
  readonly writes: boolean;
  /** What is missing for writing. */
  readonly why?: string;
  readonly notes: readonly string[];
  /** Recordings of the scope. */
  readonly there: number;
  /** Those that were brought here from it. */
  readonly brought: number;
}

/** @throws TapedeckError `tapedeck_remote` where the cache fails. */
export async function statusOf({ dir, store, settings, signal }: Transfer): Promise<RemoteStatus> {
  const { scope } = settings;
  const names = await namesIn(store, allOf(scope), signal);
  const layer = createFolderStore(teamLayerOf(dir, scope));
  const brought = (await layer.list()).length;
  const { access, notes } = store;
  return {
    cache: store.name,
    scope,
    writes: access.mayWrite,
    ...(!access.mayWrite && access.why !== undefined && { why: access.why }),
    notes,
    there: names.filter((name) => addressIn(scope, name) !== undefined).length,
    brought,
  };
}
