import { existsSync } from "node:fs";
import { addressOf } from "../core/cassette/address.ts";
import { encodeRecording } from "../core/cassette/codec.ts";
import type { Recording } from "../core/cassette/recording.ts";
import type { Key } from "../core/call.ts";
import type { TakeTurn } from "../core/source/in-turn.ts";
import { bytesOf } from "../core/wire/text.ts";
import type { RemoteStore } from "../remote/remote-store.ts";
import { sha256 } from "../storage/folder/sha256.ts";
import { putForNow, type PutFile, type RecordingFile } from "../storage/team/put-recording.ts";
import { makeTeamLayer } from "../storage/team/team-layer.ts";
import type { TeamAccess } from "../storage/team/team-store.ts";
import { createClaims } from "./claims.ts";
import { createConnection, sayingOnce, type Connection } from "./connection.ts";
import { receive, type Receiving, renumber, type ReceivedTake } from "./receive.ts";
import { readScopesOf, type RemoteSettings } from "./settings.ts";
import { send, type Sending } from "./send.ts";
import type { TeamCacheParts, TeamCounts, Using } from "./using.ts";

/** A team's cache in use by one deck. */
export interface TeamCache extends TeamAccess {
  readonly settings: RemoteSettings;
  /** Absent where nothing is written. */
  readonly takeTurn?: TakeTurn;
  readonly connection: Connection;
  /** What it did so far. */
  readonly counts: Readonly<TeamCounts>;
  close(): Promise<void>;
}

/** Connects when it is first asked for something. */
export function createTeamCache(parts: TeamCacheParts): TeamCache {
  const { settings, clock, warn } = parts;
  const counts: TeamCounts = { brought: 0, added: 0, unsent: 0 };
  const open = async (signal: AbortSignal): Promise<RemoteStore> => {
    const { openRemote } = await import("../remote/open-remote.ts");
    const store = await openRemote(settings.address, { write: settings.writes, signal });
    for (const note of store.notes) warn(note);
    if (settings.writes && !store.access.mayWrite) warn(onlyRead(store));
    return store;
  };
  const connection = createConnection({ open: parts.open ?? open, warn, ticks: () => clock.ticks() });
  const using: Using = { ...parts, warn: sayingOnce(warn), connection, counts, layer: layerOf(parts) };

  return {
    settings,
    connection,
    counts,
    bring: (provider, key) => bring(provider, key, using),
    keep: (file) => keep(file, using),
    ...(settings.writes && {
      add: (recording, number) => add(recording, number, using),
      takeTurn: createClaims(using),
    }),
    close: () => connection.close(),
  };
}

/** Made once, and again where it is gone. */
function layerOf({ dir, settings }: TeamCacheParts): () => Promise<string> {
  let made: Promise<string> | undefined;
  return async () => {
    const place = await (made ??= makeTeamLayer(dir, settings.scope));
    return existsSync(place) ? place : (made = makeTeamLayer(dir, settings.scope));
  };
}

function onlyRead({ name, access }: RemoteStore): string {
  const why = "why" in access && access.why !== undefined ? `: ${access.why}` : "";
  return `${name} can be read and not written${why}. New recordings stay here.`;
}

/**
 * Brings all takes of a key, or none where some cannot be had: half of them would be another order. What is refused
 * counts as never written, in all numbers after it.
 */
async function bring(provider: string, key: Key, using: Using): Promise<readonly RecordingFile[]> {
  const { settings, connection, counts, warn } = using;
  for (const scope of readScopesOf(settings)) {
    const received = await connection.ask(async (store, signal) => {
      const { keys } = settings;
      const from = { store, signal, scope, keys, behind: connection.behind };
      return receiveTakes(provider, key, from);
    });
    if (received === undefined) return [];
    for (const { found } of received.value) if ("refused" in found) warn(found.refused);
    const files = renumber(received.value);
    if (files.length === 0) continue;
    counts.brought += files.length;
    return files;
  }
  return [];
}

/** Where it cannot be kept, it answered all the same. */
async function keep(file: RecordingFile, { layer, warn }: Using): Promise<PutFile | undefined> {
  try {
    return await putForNow(await layer(), file);
  } catch (error) {
    warn(`What the team's cache has could not be kept here: ${error instanceof Error ? error.message : ""}`);
    return undefined;
  }
}

/** Whoever can write there can write any number of takes that nobody reads. */
const MOST_TAKES = 1_000;
/** Most calls have one take: with it, that there is no second is asked at once. */
const AT_ONCE = 2;

/** The takes of a key up to the first that is not there: names are asked for, since listing costs some engines much more. */
async function receiveTakes(provider: string, key: Key, from: Receiving): Promise<readonly ReceivedTake[]> {
  const received: ReceivedTake[] = [];
  for (let first = 1; first <= MOST_TAKES; first += AT_ONCE) {
    const addresses = Array.from({ length: AT_ONCE }, (_, index) => addressOf(provider, key, first + index));
    const found = await Promise.all(
      addresses.map(async (address) => ({ address, found: await receive(address, from) })),
    );
    const end = found.findIndex((take) => "gone" in take.found);
    received.push(...(end === -1 ? found : found.slice(0, end)));
    if (end !== -1) break;
  }
  return received;
}

/** So many takes of others may stand where a new one is to be: whoever finds more is let alone with its recording. */
const MOST_TAKEN = 64;

/** Adds a new recording where it is free. Gives what stands before it there. */
async function add(recording: Recording, number: number, using: Using): Promise<readonly RecordingFile[]> {
  const { settings, connection, counts, warn } = using;
  const { provider, key } = recording;
  const { text, blobs } = encodeRecording(recording, { sha256 });
  const sent = { bytes: bytesOf(text), blobs };
  const added = await connection.ask(async (store, signal) => {
    if (!store.access.mayWrite) return undefined;
    const to: Sending = { store, signal, ...settings };
    const before: ReceivedTake[] = [];
    for (let take = number; take < number + MOST_TAKEN; take += 1) {
      const address = addressOf(provider, key, take);
      if ((await send(address.entry, sent, to)) === "added") return before;
      const found = await receive(address, { ...to, behind: connection.behind });
      // An answer that got lost on its way: it was added.
      if ("file" in found && Buffer.compare(found.file.bytes, sent.bytes) === 0) return before;
      before.push({ address, found });
    }
    return undefined;
  });
  if (added?.value === undefined) {
    counts.unsent += 1;
    return [];
  }
  counts.added += 1;
  for (const { found } of added.value) if ("refused" in found) warn(found.refused);
  return renumber(added.value);
}
