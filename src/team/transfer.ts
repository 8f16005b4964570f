import { type CallName, formatCallName } from "../core/cassette/address.ts";
import { computeKey, type Normalizer } from "../core/match/key/key.ts";
import { joinSentences } from "../core/base/localize.ts";
import { localizeCount } from "../core/base/plural.ts";
import { processInPortions } from "../core/base/portions.ts";
import { openObjectStore } from "../remote/object-store.ts";
import { createNoPrivateKeyError } from "../remote/signed-object.ts";
import { createFolderStore } from "../storage/folder/folder-store.ts";
import { computeSha256 } from "../storage/folder/read-file.ts";
import { putTakes } from "../storage/team/recording-files.ts";
import { makeTeamLayer } from "../storage/team/team-layer.ts";
import { readOwnTakes, type KeptRecording, type OwnRecordings } from "./own-takes.ts";
import type { RemoteSettings } from "./settings.ts";
import { CALLS, readCallOfObject, fetchTakes, uploadTakes, type TeamObjects } from "./team-object.ts";

/** Moves recordings between a cassette folder and a team cache. A failure of the cache ends it; what was moved stays. */
export interface Transfer extends TeamObjects {
  /** The cassette folder of the workspace, absolute. */
  readonly dir: string;
  readonly settings: RemoteSettings;
  readonly onProgress?: (done: number, of: number) => void;
}

export interface OpenTransfer extends Transfer {
  close(): Promise<void>;
}

/** Connects with the first operation. `signal` ends what is in progress. */
export async function openTransfer(
  dir: string,
  settings: RemoteSettings,
  signal: AbortSignal = new AbortController().signal,
): Promise<OpenTransfer> {
  const store = await openObjectStore(settings.address);
  return { dir, settings, keys: settings.keys, store, signal, close: () => store.close() };
}

export interface PullResult {
  /** Entries that were downloaded, among them newer ones of calls that were downloaded before. */
  readonly downloaded: readonly string[];
  /** Calls in the cache that are recorded here, or that were downloaded before. */
  readonly existing: number;
  /** Why objects were not used, as sentences. */
  readonly refused: readonly string[];
}

/**
 * Downloads all calls that are not recorded in the workspace.
 * @throws TapedeckError `tapedeck_remote` if the cache fails, `tapedeck_cassette` if the disk refuses
 */
export async function pull(transfer: Transfer, normalizer?: Normalizer): Promise<PullResult> {
  const { dir, store, signal, onProgress } = transfer;
  const folder = createFolderStore(dir);
  const calls = (await store.list(CALLS, signal)).flatMap((object) => readCallOfObject(object) ?? []);
  const layerDir = await makeTeamLayer(dir);
  const downloaded: string[] = [];
  const refused: string[] = [];
  let [existing, done] = [0, 0];
  const pullCall = async (call: CallName): Promise<void> => {
    const isOwn = folder.takes(call.provider, call.key).length > 0;
    const found = isOwn
      ? undefined
      : await fetchTakes(call, transfer, (request) => computeKey(request, computeSha256, normalizer));
    if (found === undefined) existing += isOwn ? 1 : 0;
    else if ("refused" in found) refused.push(found.refused);
    else if ((await putTakes(layerDir, found.takes)) === 0) existing += 1;
    else downloaded.push(...found.takes.map(({ entry }) => entry));
  };
  await processInPortions(calls, async (call) => {
    await pullCall(call);
    onProgress?.((done += 1), calls.length);
  });
  return { downloaded: downloaded.sort(), existing, refused };
}

export interface PushResult {
  /** Entries that were uploaded. */
  readonly added: readonly string[];
  /** Entries that the cache had. */
  readonly existing: number;
  /** Entries whose calls have other recordings in the cache that are not older. Those were kept. */
  readonly newer: readonly string[];
  readonly kept: readonly KeptRecording[];
}

/**
 * Uploads all calls that are recorded in the workspace.
 * @throws TapedeckError `tapedeck_usage` without a private key, `tapedeck_remote` if the cache fails
 */
export async function push(transfer: Transfer, admit: OwnRecordings["admit"]): Promise<PushResult> {
  const { dir, keys, onProgress } = transfer;
  if (keys.signing === undefined) throw createNoPrivateKeyError();
  const folder = createFolderStore(dir);
  const calls = new Map<string, CallName>();
  for (const address of await folder.list()) calls.set(formatCallName(address), address);
  const entries: Record<"added" | "there" | "newer", string[]> = { added: [], there: [], newer: [] };
  const kept: KeptRecording[] = [];
  let done = 0;
  await processInPortions([...calls.values()], async (call) => {
    const own = await readOwnTakes(call, { dir, folder, admit });
    if ("why" in own) kept.push(own);
    else {
      const outcome = await uploadTakes(call, own.takes, transfer);
      entries[outcome].push(...own.takes.map(({ entry }) => entry));
    }
    onProgress?.((done += 1), calls.size);
  });
  return { added: entries.added.sort(), existing: entries.there.length, newer: entries.newer.sort(), kept };
}

/** Says what was downloaded, or that nothing was. */
export function describePulled({ downloaded, existing, refused }: PullResult, cache: string): string {
  const unused =
    refused.length === 0
      ? ""
      : localizeCount(refused.length, "{0} object could not be used.", "{0} objects could not be used.");
  const result =
    downloaded.length === 0
      ? localizeCount(
          existing,
          "{1} has no other recordings ({0} call is already here).",
          "{1} has no other recordings ({0} calls are already here).",
          cache,
        )
      : localizeCount(
          downloaded.length,
          "{0} recording downloaded from {1}.",
          "{0} recordings downloaded from {1}.",
          cache,
        );
  return joinSentences(result, unused);
}

/** Says what was uploaded, or that nothing was. */
export function describePushed({ added, existing, newer, kept }: PushResult, cache: string): string {
  const left =
    newer.length === 0
      ? ""
      : localizeCount(
          newer.length,
          "{0} recording not uploaded, because the cache has a newer one.",
          "{0} recordings not uploaded, because the cache has newer ones.",
        );
  const notSent =
    kept.length === 0
      ? ""
      : localizeCount(kept.length, "{0} recording not uploaded.", "{0} recordings not uploaded.");
  const result =
    added.length > 0
      ? localizeCount(
          added.length,
          "{0} recording uploaded to {1}.",
          "{0} recordings uploaded to {1}.",
          cache,
        )
      : localizeCount(
          existing,
          "Nothing was uploaded, because {1} already has {0} recording.",
          "Nothing was uploaded, because {1} already has {0} recordings.",
          cache,
        );
  return joinSentences(result, left, notSent);
}
