import { localize } from "../core/base/localize.ts";
import type { WatchedStore } from "../core/cassette/store.ts";
import { isFields } from "../core/base/lenient.ts";
import { explain, createWrongArgument } from "../core/base/errors.ts";
import type { FetchMissing } from "../core/answer/source/modes.ts";
import { computeKey, type Normalizer } from "../core/match/key/key.ts";
import { createFolderStore } from "../storage/folder/folder-store.ts";
import { computeSha256 } from "../storage/folder/read-file.ts";
import { hasTeamLayer, getTeamLayer } from "../storage/team/team-layer.ts";
import { createTeamStore } from "../storage/team/team-store.ts";
import { readRemoteVariables, type Env, type RemoteOptions } from "../team/remote-variables.ts";
import type { RemoteSettings } from "../team/settings.ts";
import type { OwnRecordings } from "../team/own-takes.ts";
import type { TeamCache, TeamCounts } from "../team/team-cache.ts";
import { clock } from "./clock.ts";

/** A team cache whose settings are read when it is first needed: no secret is asked for before. */
export interface RemoteToRead {
  readonly read: () => Promise<RemoteOptions>;
  /** The variables with the credentials of its engine. */
  readonly env: Env;
  /** Whether new recordings are uploaded. Default false. */
  readonly writes?: boolean;
}

/** The team cache that the environment names (`TAPEDECK_REMOTE…`); undefined if it names none. */
export function remoteOfEnvironment(env: Env): RemoteToRead | undefined {
  if (!isFields(env)) throw createWrongArgument("env", localize("an object of variables"), env);
  if ((env["TAPEDECK_REMOTE"] ?? "") === "") return undefined;
  const options = readRemoteVariables(env);
  return { env, read: async () => options, writes: options.writes };
}

export interface DeckTeam {
  /** The folder of downloaded recordings: an absolute path. */
  readonly dir: string;
  /** The name of its cache in messages; undefined if there is none, or it was not needed yet. */
  readonly name: string | undefined;
  readonly writes: boolean;
  isTeams(entry: string): boolean;
  /** Downloads the recordings of a call that has none in the workspace. */
  readonly fetchMissing: FetchMissing;
  /** Returns how many recordings the cache has downloaded and uploaded so far. */
  counts(): TeamCounts;
  /** Why the cache is not used at the moment. */
  trouble(): string | undefined;
  /** Resolves once uploads have ended. */
  close(): Promise<void>;
}

interface Parts extends OwnRecordings {
  readonly folder: WatchedStore;
  /** The rules by which recordings are named. */
  readonly normalizer: () => Normalizer | undefined;
  readonly remote: RemoteSettings | RemoteToRead | undefined;
  /** Whether recordings of the team answer. */
  readonly wantsTeam: boolean;
  readonly warn: (message: string) => void;
}

const NOTHING_DONE: TeamCounts = { downloaded: 0, uploaded: 0, unsent: 0, refused: [] };

/**
 * Adds the team's recordings to the store of a folder. Returns the store itself if there is no cache and no team
 * recording.
 */
export function withTeam(parts: Parts): { readonly store: WatchedStore; readonly team?: DeckTeam } {
  const { dir, folder, normalizer, remote, wantsTeam, warn } = parts;
  if (!wantsTeam || (remote === undefined && !hasTeamLayer(dir))) return { store: folder };
  const layerDir = getTeamLayer(dir);
  const layer = createFolderStore(layerDir, { normalizer });
  const cache = remote && lazyCache({ ...parts, remote });
  const writes = remote?.writes === true;
  const store = createTeamStore({
    dir,
    folder,
    layerDir,
    layer,
    warn,
    ...(writes && { onWritten: (call) => cache?.uploadLater(call) }),
  });
  const team: DeckTeam = {
    dir: layerDir,
    get name() {
      const settings = remote !== undefined && "keys" in remote ? remote : cache?.loaded()?.settings;
      return settings?.address.name;
    },
    writes,
    isTeams: (entry) => store.isTeams(entry),
    async fetchMissing(provider, key) {
      if (folder.takes(provider, key).length === 0) await cache?.fetch({ provider, key });
    },
    counts: () => cache?.loaded()?.counts() ?? NOTHING_DONE,
    trouble: () => cache?.trouble() ?? cache?.loaded()?.trouble,
    close: async () => cache?.close(),
  };
  return { store, team };
}

/** Loads nothing of a cache before a call needs it. */
function lazyCache(parts: Parts & { readonly remote: RemoteSettings | RemoteToRead }) {
  const { remote, warn, normalizer } = parts;
  let loaded: TeamCache | undefined;
  let trouble: string | undefined;
  let loading: Promise<TeamCache | undefined> | undefined;
  const pending: Promise<void>[] = [];
  const open = async (): Promise<TeamCache | undefined> => {
    const { createTeamCache, readRemoteSettings } = await import("../team/team.ts");
    try {
      const settings = "keys" in remote ? remote : readRemoteSettings(await remote.read(), remote.env);
      const keyOf: Parameters<typeof createTeamCache>[0]["keyOf"] = (request) =>
        computeKey(request, computeSha256, normalizer());
      loaded = settings && createTeamCache({ own: parts, settings, keyOf, clock, warn });
    } catch (error) {
      trouble = explain(error);
      warn(trouble);
    }
    return loaded;
  };
  const load = (): Promise<TeamCache | undefined> => (loading ??= open());
  return {
    loaded: () => loaded,
    /** Why it cannot be used as it was named. */
    trouble: () => trouble,
    fetch: async (call: Parameters<TeamCache["fetch"]>[0]): Promise<void> => (await load())?.fetch(call),
    uploadLater(call: Parameters<TeamCache["uploadLater"]>[0]): void {
      pending.push(load().then((cache) => cache?.uploadLater(call)));
    },
    async close(): Promise<void> {
      await Promise.all(pending);
      await loaded?.close();
    },
  };
}
