import { byAddress } from "../core/cassette/address.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import { groupBy } from "../core/group-by.ts";
import { inPortions } from "../core/portions.ts";
import { storageFailure } from "../storage/folder/failures.ts";
import { foldersIn, putMissing, type FileToPut } from "../storage/team/put-recording.ts";
import { makeTeamLayer, teamLayerOf } from "../storage/team/team-layer.ts";
import { createFolderStore } from "../storage/folder/folder-store.ts";
import { addressIn, allOf } from "./names.ts";
import { receiveToKeep, type Receiving, renumber, type ReceivedTake } from "./receive.ts";
import { readScopesOf } from "./settings.ts";
import type { Transfer } from "./transfer.ts";

export interface Pulled {
  readonly brought: readonly string[];
  /** Recordings there of calls that are recorded here, or that were brought before. */
  readonly here: number;
  /** Why objects were not used, as sentences. */
  readonly refused: readonly string[];
}

/**
 * Brings everything here that the cache has of calls that are not recorded here. What is here stays as it is.
 * @throws TapedeckError `tapedeck_remote` where the cache fails, `tapedeck_cassette` where the disk refuses.
 */
export async function pull(transfer: Transfer): Promise<Pulled> {
  const { dir, folder, store, settings, signal } = transfer;
  const layerDir = teamLayerOf(dir, settings.scope);
  const layer = createFolderStore(layerDir);
  // Their first take is written last: where that is, all are.
  const brought = (await layer.list()).filter(({ take }) => take === 1);
  const known = new Set([...(await folder.list()), ...brought].map(callName));
  const place = await makeTeamLayer(dir, settings.scope).catch((error: unknown) => {
    throw storageFailure(dir, error);
  });
  const folderOf = foldersIn(place);
  const pulled = { brought: new Array<string>(), here: 0, refused: new Array<string>() };
  const behind: Promise<unknown>[] = [];
  for (const scope of readScopesOf(settings)) {
    const missing: RecordingAddress[] = [];
    for await (const names of store.list(allOf(scope), signal)) {
      const there = names.flatMap((name) => addressIn(scope, name) ?? []);
      const news = there.filter((address) => !known.has(callName(address)));
      pulled.here += there.length - news.length;
      missing.push(...news);
    }
    const { keys } = settings;
    const keep = (work: Promise<unknown>): void => void behind.push(work.catch(() => {}));
    const from: Receiving = { store, signal, scope, keys, behind: keep };
    await eachKey(missing, { from, ...transfer }, async (received) => {
      for (const { found } of received) if ("refused" in found) pulled.refused.push(found.refused);
      const files = renumber(received);
      if (files.length > 0) for (const { address } of received) known.add(callName(address));
      for (const file of files.toReversed()) await putMissing(layerDir, file, folderOf);
      pulled.brought.push(...files.map(({ entry }) => entry));
    });
  }
  await Promise.all(behind);
  return pulled;
}

interface Reading extends Pick<Transfer, "onProgress"> {
  readonly from: Receiving;
}

/** Reads recordings, and gives the takes of each key together. */
async function eachKey(
  missing: readonly RecordingAddress[],
  { from, onProgress }: Reading,
  take: (received: readonly ReceivedTake<FileToPut>[]) => Promise<void>,
): Promise<void> {
  let done = 0;
  await inPortions(
    groupBy(missing.toSorted(byAddress), callName),
    async (takes) => {
      const reading = takes.map(async (address) => ({ address, found: await receiveToKeep(address, from) }));
      await take(await Promise.all(reading));
      onProgress?.((done += takes.length), missing.length);
    },
    AT_ONCE,
  );
}

/** So many are on their way at once: while some are asked for, others are looked at and written. */
const AT_ONCE = 256;

const callName = ({ provider, key }: RecordingAddress): string => `${provider} ${key}`;
