import { addressOf, byAddress, freeNumber, readEntry } from "../../core/cassette/address.ts";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore, StoreChange } from "../../core/cassette/store.ts";
import type { Key } from "../../core/call.ts";
import { createSingleFlight } from "../../core/source/single-flight.ts";
import type { FolderStore } from "../folder/folder-store.ts";
import { sha256 } from "../folder/sha256.ts";
import { createListeners, together } from "../../core/listeners.ts";
import { createArrivals, type Arrivals } from "./arrivals.ts";
import { putRecording, readRecordingFile, type PutFile, type RecordingFile } from "./put-recording.ts";
import { takeOutUnreadable } from "./unreadable.ts";

/** A team's cache as a store asks it. None of it throws or takes long: what it cannot do is said to whoever watches. */
export interface TeamAccess {
  /** The takes of a key as they are there, under the names that they get here. */
  bring(provider: string, key: Key): Promise<readonly RecordingFile[]>;
  /** Puts what it brought into the layer. Undefined where that has it by now, or cannot keep it. */
  keep(file: RecordingFile): Promise<PutFile | undefined>;
  /**
   * Gives a new recording its place in the cache: `number`, or the next one that is free there. Resolves to the
   * recordings that stand in the places before, which are to stand here as well. Absent where nothing is written.
   */
  readonly add?: (recording: Recording, number: number) => Promise<readonly RecordingFile[]>;
}

export interface TeamStoreParts {
  /** The workspace's cassette folder. */
  readonly dir: string;
  readonly folder: FolderStore;
  /** What came from the team. */
  readonly layerDir: string;
  readonly layer: FolderStore;
  /** Absent where nothing is asked for: then what came before is there. */
  readonly access?: TeamAccess;
  /** Told of what came before and cannot be read any more. */
  readonly warn: (message: string) => void;
}

/** A store that knows which of its recordings came from the team. */
export interface TeamStore extends Omit<FolderStore, "isThere"> {
  isTeams(entry: string): boolean;
  /** Resolves once what came from the team is on disk. */
  written(): Promise<void>;
}

/**
 * The recordings of a workspace and, of keys of which it has none, those that came from its team. So the takes of a key
 * are of one order: the workspace's or the team's. What is recorded or replaced is the workspace's.
 */
export function createTeamStore(parts: TeamStoreParts): TeamStore {
  const { folder, layer, access } = parts;
  const listeners = createListeners<StoreChange>();
  const arrivals = createArrivals(async (file) => {
    await access?.keep(file);
  });
  const teams = (provider: string, key: Key): readonly RecordingAddress[] => {
    const arrived = arrivals.takes(provider, key);
    return arrived.length > 0 ? arrived : layer.takes(provider, key);
  };
  const takes = (provider: string, key: Key): readonly RecordingAddress[] => {
    const own = folder.takes(provider, key);
    return own.length > 0 ? own : teams(provider, key);
  };
  const isTeams = (entry: string): boolean => {
    const address = readEntry(entry);
    if ("wrong" in address || folder.takes(address.provider, address.key).length > 0) return false;
    return teams(address.provider, address.key).length > 0;
  };
  const holderOf = (entry: string): CassetteStore => (isTeams(entry) ? layer : folder);
  const settle = settling(parts, arrivals, (entry) => listeners.notify({ entry }));
  return {
    takes,
    isTeams,
    written: () => arrivals.written(),
    ...reading(parts, arrivals, { holderOf, settle }),
    ...writing(parts, arrivals, (entry) => listeners.notify({ entry })),
    settle,
    standing(entry) {
      const arrived = arrivals.file(entry);
      return arrived && isTeams(entry) ? sha256(arrived.bytes) : holderOf(entry).standing(entry);
    },
    async remove(entry) {
      await arrivals.written();
      return holderOf(entry).remove(entry);
    },
    watch: (listener) => together(listeners.add(listener), folder.watch(listener), layer.watch(listener)),
  };
}

/** Brings the takes of a key that are neither here nor on their way. */
function settling(
  { folder, layer, access }: TeamStoreParts,
  arrivals: Arrivals,
  changed: (entry: string) => void,
): CassetteStore["settle"] {
  const flight = createSingleFlight();
  return async (provider, key) => {
    // Whoever asks for nobody's recordings wants all of ours looked at, and nothing fetched.
    if (access === undefined || provider === "") return;
    const isHere = folder.takes(provider, key).length > 0 || arrivals.takes(provider, key).length > 0;
    if (isHere || layer.isThere(addressOf(provider, key, 1).entry)) return;
    await flight(`${provider} ${key}`, async (waited) => {
      if (waited) return;
      const brought = await access.bring(provider, key);
      await arrivals.add(provider, key, brought);
      for (const { entry } of brought) changed(entry);
    });
  };
}

/** Whatever is written is the workspace's, and with it the takes of its key that the team had. */
function writing(
  parts: TeamStoreParts,
  arrivals: Arrivals,
  changed: (entry: string) => void,
): Pick<CassetteStore, "save" | "replace"> {
  const { dir, folder, layer, layerDir, access } = parts;
  const adopt = async (provider: string, key: Key): Promise<void> => {
    if (folder.takes(provider, key).length > 0) return;
    await arrivals.written();
    for (const { entry } of layer.takes(provider, key)) {
      await putRecording(dir, await readRecordingFile(layerDir, entry));
      changed(entry);
    }
  };
  return {
    async save(recording, number) {
      const { provider, key } = recording;
      await adopt(provider, key);
      if (access?.add === undefined) return folder.save(recording, number);
      let next = freeNumber(folder.takes(provider, key), number);
      for (const file of await access.add(recording, next)) {
        if (await isOwn(file, parts)) continue;
        const { entry } = addressOf(provider, key, next);
        if (await putRecording(dir, { ...file, entry })) changed(entry);
        next += 1;
      }
      return folder.save(recording, next);
    },
    async replace(entry, recording, since) {
      await adopt(recording.provider, recording.key);
      await folder.replace(entry, recording, since);
    },
  };
}

/** Whether the very recording is a take of the workspace already. */
async function isOwn(file: RecordingFile, { dir, folder }: TeamStoreParts): Promise<boolean> {
  for (const { entry } of folder.takes(file.recording.provider, file.recording.key)) {
    const own = await readRecordingFile(dir, entry).catch(() => undefined);
    if (own !== undefined && Buffer.compare(own.bytes, file.bytes) === 0) return true;
  }
  return false;
}

type Reading = Pick<FolderStore, "replay" | "read" | "list">;

interface Around extends Pick<CassetteStore, "settle"> {
  readonly holderOf: (entry: string) => CassetteStore;
}

function reading(
  { folder, layer, layerDir, warn }: TeamStoreParts,
  arrivals: Arrivals,
  { holderOf, settle }: Around,
): Reading {
  let last: Listed | undefined;
  const ofTeam: CassetteStore["replay"] = async (provider, key, choose) => {
    const arrived = arrivals.takes(provider, key);
    if (arrived.length === 0) return layer.replay(provider, key, choose);
    const entry = choose(arrived);
    return entry === undefined ? undefined : arrivals.file(entry)?.recording.reply;
  };
  return {
    async replay(provider, key, choose) {
      let isHere = false;
      const reply = await folder.replay(provider, key, (own) => {
        isHere = own.length > 0;
        return isHere ? choose(own) : undefined;
      });
      if (isHere) return reply;
      try {
        return await ofTeam(provider, key, choose);
      } catch (error) {
        const takenOut = await takeOutUnreadable(layerDir, layer, { provider, key });
        if (takenOut === undefined) throw error;
        warn(takenOut);
        await settle(provider, key);
        return ofTeam(provider, key, choose);
      }
    },
    async read(entry, onFile) {
      await arrivals.written();
      return holderOf(entry).read(entry, onFile);
    },
    async list() {
      await arrivals.written();
      const [own, teams] = [await folder.list(), await layer.list()];
      // Who asks again and sees the same list knows that nothing changed.
      if (last?.own !== own || last.teams !== teams) last = { own, teams, all: unite(own, teams) };
      return last.all;
    },
  };
}

interface Listed {
  readonly own: readonly RecordingAddress[];
  readonly teams: readonly RecordingAddress[];
  readonly all: readonly RecordingAddress[];
}

function unite(
  own: readonly RecordingAddress[],
  teams: readonly RecordingAddress[],
): readonly RecordingAddress[] {
  const nameOf = ({ provider, key }: RecordingAddress): string => `${provider} ${key}`;
  const here = new Set(own.map(nameOf));
  return [...own, ...teams.filter((address) => !here.has(nameOf(address)))].sort(byAddress);
}
