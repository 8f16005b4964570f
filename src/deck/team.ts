import type { CassetteStore } from "../core/cassette/store.ts";
import { isFields } from "../core/protocol/reading/lenient.ts";
import { explain, wrongArgument } from "../core/errors.ts";
import type { TakeTurn } from "../core/source/in-turn.ts";
import type { Normaliser } from "../core/match/key/key.ts";
import { createFolderStore, type FolderStore } from "../storage/folder/folder-store.ts";
import { hasTeamLayer, teamLayerOf, TRUSTED } from "../storage/team/team-layer.ts";
import { createTeamStore, type TeamAccess } from "../storage/team/team-store.ts";
import { saidByEnvironment, type Env, type SaidOfRemote } from "../team/said.ts";
import type { RemoteSettings } from "../team/settings.ts";
import type { TeamCache } from "../team/team-cache.ts";
import type { TeamCounts } from "../team/using.ts";
import { clock } from "./clock.ts";

/** A cache whose settings are read when it is first needed: until then nothing of it is loaded, and no secret asked for. */
export interface RemoteToRead {
  readonly said: () => Promise<SaidOfRemote>;
  /** What its engine needs. */
  readonly env: Env;
  /** Whether new recordings are added, as `said` says it, too. Default false. */
  readonly writes?: boolean;
}

/** The cache that a person's environment names (`TAPEDECK_REMOTE` and what begins so); undefined where it names none. */
export function remoteOfEnvironment(env: Env): RemoteToRead | undefined {
  if (!isFields(env)) throw wrongArgument("env", "an object of variables", env);
  if ((env["TAPEDECK_REMOTE"] ?? "") === "") return undefined;
  const said = saidByEnvironment(env);
  return { env, said: async () => said, writes: said.writes };
}

/** What a deck's team has to do with it. */
export interface DeckTeam {
  /** Where what came from the team lies: an absolute path. */
  readonly dir: string;
  /** What its cache is called in messages; undefined where only what came before is read, or nobody asked yet. */
  readonly name: string | undefined;
  /** Whether there is a cache to ask, and not only what came from one before. */
  readonly asks: boolean;
  readonly writes: boolean;
  readonly scope: string;
  /** Whether a recording came from the team. */
  isTeams(entry: string): boolean;
  /** What the cache did so far. */
  counts(): TeamCounts;
  /** Why it is not asked at the moment. */
  trouble(): string | undefined;
  close(): Promise<void>;
}

export interface TeamStoreOf {
  readonly store: CassetteStore;
  readonly team?: DeckTeam;
  /** Absent where nothing is written to the team's cache. */
  readonly takeTurn?: TakeTurn | undefined;
}

interface Parts {
  readonly dir: string;
  readonly folder: FolderStore;
  /** The rules by which recordings are named. */
  readonly normaliser: () => Normaliser | undefined;
  readonly remote: RemoteSettings | RemoteToRead | undefined;
  /** Whether what came from a team counts. */
  readonly wantsTeam: boolean;
  readonly warn: (message: string) => void;
}

const NOTHING_DONE: TeamCounts = { brought: 0, added: 0, unsent: 0 };

/** A folder's store with what its team has: the store itself where there is neither a cache nor anything that came from one. */
export function withTeam({ dir, folder, normaliser, remote, wantsTeam, warn }: Parts): TeamStoreOf {
  const known = remote !== undefined && "keys" in remote ? remote : undefined;
  const scope = known?.scope ?? TRUSTED;
  if (!wantsTeam || (remote === undefined && !hasTeamLayer(dir, scope))) return { store: folder };
  const layerDir = teamLayerOf(dir, scope);
  const layer = createFolderStore(layerDir, { warn, normaliser });
  const cache = remote && lazyCache({ dir, remote, warn });
  const store = createTeamStore({
    dir,
    folder,
    layerDir,
    layer,
    warn,
    ...(cache && { access: cache.access }),
  });
  const team: DeckTeam = {
    dir: layerDir,
    get name() {
      return (known ?? cache?.loaded()?.settings)?.address.name;
    },
    asks: cache !== undefined,
    writes: remote?.writes === true,
    scope,
    isTeams: (entry) => store.isTeams(entry),
    counts: () => cache?.loaded()?.counts ?? NOTHING_DONE,
    trouble: () => cache?.trouble() ?? cache?.loaded()?.connection.trouble,
    async close() {
      await store.written();
      await cache?.loaded()?.close();
    },
  };
  return { store, team, takeTurn: cache?.takeTurn };
}

interface CacheParts {
  readonly dir: string;
  readonly remote: RemoteSettings | RemoteToRead;
  readonly warn: Parts["warn"];
}

interface LazyCache {
  readonly access: TeamAccess;
  readonly takeTurn: TakeTurn | undefined;
  readonly loaded: () => TeamCache | undefined;
  /** Why it cannot be used as it was named. */
  readonly trouble: () => string | undefined;
}

/** Nothing of it is loaded before a call needs it. */
function lazyCache({ dir, remote, warn }: CacheParts): LazyCache {
  let loaded: TeamCache | undefined;
  let trouble: string | undefined;
  let loading: Promise<TeamCache | undefined> | undefined;
  const open = async (): Promise<TeamCache | undefined> => {
    const { createTeamCache, readRemoteSettings } = await import("../team/team.ts");
    try {
      const settings = "keys" in remote ? remote : readRemoteSettings(await remote.said(), remote.env);
      loaded = settings && createTeamCache({ dir, settings, warn, clock });
    } catch (error) {
      trouble = explain(error);
      warn(trouble);
    }
    return loaded;
  };
  const load = (): Promise<TeamCache | undefined> => (loading ??= open());
  const bring: TeamAccess["bring"] = async (provider, key) =>
    (await (await load())?.bring(provider, key)) ?? [];
  const keep: TeamAccess["keep"] = async (file) => (await load())?.keep(file);
  const add: TeamAccess["add"] = async (recording, number) =>
    (await (await load())?.add?.(recording, number)) ?? [];
  const takeTurn: TakeTurn = async (provider, key, signal) =>
    (await (await load())?.takeTurn?.(provider, key, signal)) ?? { giveBack: () => {} };
  const writes = remote.writes === true;
  const access = { bring, keep, ...(writes && { add }) };
  return { access, takeTurn: writes ? takeTurn : undefined, loaded: () => loaded, trouble: () => trouble };
}
