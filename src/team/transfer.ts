import { byAddress } from "../core/cassette/address.ts";
import type { Recording, RecordingAddress } from "../core/cassette/recording.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import { explain, isTapedeckError } from "../core/errors.ts";
import { grouped } from "../core/grouped.ts";
import { inPortions } from "../core/portions.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import { foldersIn, putForNow, readRecordingFile } from "../storage/team/put-recording.ts";
import { makeTeamLayer, teamLayerOf } from "../storage/team/team-layer.ts";
import { createFolderStore } from "../storage/folder/folder-store.ts";
import { renumbered } from "./renumbered.ts";
import { addressIn, allOf, objectOf } from "./names.ts";
import { namesIn, receive } from "./receive.ts";
import { send } from "./send.ts";
import { readScopesOf, type RemoteSettings } from "./settings.ts";

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
export async function pull(transfer: Transfer, only?: ReadonlySet<string>): Promise<Pulled> {
  const { dir, folder, store, settings, signal, onProgress } = transfer;
  const layer = createFolderStore(teamLayerOf(dir, settings.scope));
  const known = new Set([...(await folder.list()), ...(await layer.list())].map(nameOf));
  layer.close();
  const brought: string[] = [];
  const refused: string[] = [];
  const behind: Promise<unknown>[] = [];
  const target = await makeTeamLayer(dir, settings.scope);
  const folderOf = foldersIn(target);
  let here = 0;
  let done = 0;
  for (const scope of readScopesOf(settings)) {
    const names = await namesIn(store, allOf(scope), signal);
    const there = names.flatMap((name) => addressIn(scope, name) ?? []);
    const wanted = there.filter((address) => only === undefined || only.has(address.key));
    const missing = wanted.filter((address) => !known.has(nameOf(address)));
    here += wanted.length - missing.length;
    const from = {
      store,
      signal,
      scope,
      keys: settings.keys,
      behind: (work: Promise<unknown>) => void behind.push(work.catch(() => {})),
    };
    await inPortions(grouped(missing.toSorted(byAddress), nameOf), async (takes) => {
      const received = await Promise.all(
        takes.map(async (address) => ({ address, found: await receive(address, from) })),
      );
      for (const { found } of received) if ("refused" in found) refused.push(found.refused);
      const files = renumbered(received);
      for (const file of files)
        if ((await putForNow(target, file, folderOf)) !== undefined) brought.push(file.entry);
      if (files.length > 0) for (const address of takes) known.add(nameOf(address));
      onProgress?.((done += takes.length), missing.length);
    });
  }
  await Promise.all(behind);
  return { brought, here, refused };
}

export interface Pushed {
  readonly added: readonly string[];
  /** Entries whose names are taken there: by the same recording, or by another one of the same call. */
  readonly there: number;
  /** Entries that were not sent, and why, as sentences. */
  readonly kept: readonly { readonly entry: string; readonly why: string }[];
}

export interface Pushing extends Transfer {
  /** What the project says about secrets in what is written. @throws TapedeckError that says what it holds. */
  readonly admit: (recording: Recording) => Promise<Recording>;
  /** Entries; without it everything. */
  readonly only?: ReadonlySet<string>;
}

/**
 * Adds what is recorded here and is not there, each recording as its file has it.
 * @throws TapedeckError `tapedeck_remote` where the cache fails.
 */
export async function push(pushing: Pushing): Promise<Pushed> {
  const { folder, store, settings, signal, only, onProgress } = pushing;
  const { scope } = settings;
  const there = new Set(await namesIn(store, allOf(scope), signal));
  const own = (await folder.list()).filter(({ entry }) => only === undefined || only.has(entry));
  const absent = own.filter(({ entry }) => !there.has(objectOf(scope, entry)));
  const added: string[] = [];
  const kept: { readonly entry: string; readonly why: string }[] = [];
  let done = 0;
  await inPortions(absent, async ({ entry }) => {
    const why = await sent(entry, pushing);
    if (why === "added") added.push(entry);
    else if (why !== "taken") kept.push({ entry, why });
    onProgress?.((done += 1), absent.length);
  });
  return { added: added.sort(), there: own.length - added.length - kept.length, kept };
}

/** Why it was not sent, where it was not. @throws what the store does. */
async function sent(
  entry: string,
  { dir, folder, store, settings, signal, admit }: Pushing,
): Promise<string> {
  try {
    const recording = await folder.read(entry);
    if (!isSame(await admit(recording), recording)) return HOLDS_SECRET;
  } catch (error) {
    if (!isTapedeckError(error)) throw error;
    return explain(error);
  }
  const file = await readRecordingFile(dir, entry);
  return send(entry, file, { store, signal, ...settings });
}

const HOLDS_SECRET = "It holds what the project redacts: record it anew, or see tapedeck check.";

/** Where something was redacted, another recording comes back. */
function isSame(admitted: Recording, { reply }: Recording): boolean {
  return Buffer.compare(admitted.reply.body, reply.body) === 0;
}

function nameOf({ provider, key }: RecordingAddress): string {
  return `${provider} ${key}`;
}
