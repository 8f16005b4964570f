import { localize } from "../../core/base/localize.ts";
import { byAddress, type CallName, formatCallName, readEntry } from "../../core/cassette/address.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore, WatchedStore, StoreReader } from "../../core/cassette/store.ts";
import { explain, isTapedeckError } from "../../core/base/errors.ts";
import { combineDisposables } from "../../core/call/listeners.ts";
import { createNoSuchRecordingError } from "../folder/failures.ts";
import { putRecording, readRecordingFile } from "./recording-files.ts";

interface TeamStoreParts {
  /** The cassette folder of the workspace. */
  readonly dir: string;
  readonly folder: WatchedStore;
  /** Downloaded recordings of the team. */
  readonly layerDir: string;
  readonly layer: WatchedStore;
  /** Receives why downloaded recordings were removed. */
  readonly warn: (message: string) => void;
  /** Called after a recording of a call was written. */
  readonly onWritten?: (recording: Recording) => void;
}

export interface TeamStore extends WatchedStore {
  isTeams(entry: string): boolean;
}

/**
 * Reads the recordings of a workspace and, for calls without any there, those of the team. So all takes of a call have
 * one origin and one order. New recordings are written to the workspace.
 */
export function createTeamStore(parts: TeamStoreParts): TeamStore {
  const { folder, layer, onWritten } = parts;
  const isTeams = (entry: string): boolean => {
    const address = readEntry(entry);
    if ("wrong" in address || folder.takes(address.provider, address.key).length > 0) return false;
    return layer.takes(address.provider, address.key).length > 0;
  };
  const holderOf = (entry: string): CassetteStore => (isTeams(entry) ? layer : folder);
  return {
    takes(provider, key) {
      const own = folder.takes(provider, key);
      return own.length > 0 ? own : layer.takes(provider, key);
    },
    isTeams,
    read: (async (entry: string, purpose?: "replay") => {
      if (!isTeams(entry)) return folder.read(entry, purpose);
      try {
        return await layer.read(entry, purpose);
      } catch (error) {
        if (isTapedeckError(error) && "gone" in error) throw error; // a missing take is no damage
        await removeTakes(parts, entry, error);
        throw createNoSuchRecordingError(entry, error);
      }
    }) as StoreReader,
    list: uniteLists(folder, layer),
    async save(recording, number) {
      await adoptTakes(parts, recording);
      const address = await folder.save(recording, number);
      onWritten?.(recording);
      return address;
    },
    hashContent: (entry) => holderOf(entry).hashContent(entry),
    async replace(entry, recording, since, together = []) {
      const recordings = [recording, ...together.map((one) => one.recording)];
      for (const one of recordings) await adoptTakes(parts, one);
      await folder.replace(entry, recording, since, together);
      for (const one of recordings) onWritten?.(one);
    },
    remove: (entry) => holderOf(entry).remove(entry),
    watch: (listener) => combineDisposables(folder.watch(listener), layer.watch(listener)),
  };
}

/** Copies the takes of the team to the workspace before one is written beside them. */
async function adoptTakes(
  { dir, folder, layer, layerDir }: TeamStoreParts,
  { provider, key }: CallName,
): Promise<void> {
  if (folder.takes(provider, key).length > 0) return;
  for (const { entry } of layer.takes(provider, key))
    await putRecording(dir, await readRecordingFile(layerDir, entry));
}

/**
 * Removes all downloaded takes of a call if one is damaged or does not match its name: they can be downloaded again.
 */
async function removeTakes(
  { layer, layerDir, warn }: TeamStoreParts,
  entry: string,
  error: unknown,
): Promise<void> {
  const address = readEntry(entry);
  const takes = "wrong" in address ? [] : layer.takes(address.provider, address.key);
  for (const take of takes) await layer.remove(take.entry);
  warn(
    localize(
      "Downloaded recordings were removed from {0}, because one cannot be read. {1}",
      layerDir,
      explain(error),
    ),
  );
}

/** Gives the same list as before if nothing changed, because callers compare lists. */
function uniteLists(folder: CassetteStore, layer: CassetteStore): CassetteStore["list"] {
  let last: Record<"own" | "teams" | "all", readonly RecordingAddress[]> | undefined;
  return async () => {
    const [own, teams] = [await folder.list(), await layer.list()];
    if (last?.own === own && last.teams === teams) return last.all;
    const here = new Set(own.map(formatCallName));
    const all = [...own, ...teams.filter((address) => !here.has(formatCallName(address)))].sort(byAddress);
    last = { own, teams, all };
    return all;
  };
}
