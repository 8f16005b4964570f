import { createNearestFinder } from "../core/match/nearest/nearest.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { WatchedStore } from "../core/cassette/store.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import { admitting } from "./admit.ts";
import type { DeckProject } from "./project.ts";
import { createFolderStore, awaitedStore, createPending } from "../storage/folder/folder-store.ts";
import { discardLeftOver } from "../storage/folder/durable-write.ts";
import {
  createFactsTable,
  newestRecordings,
  readEachFact,
  type FoundFacts,
} from "../storage/local/facts-table.ts";
import { teamLayerOf } from "../storage/team/team-layer.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import type { ProjectFile } from "../storage/local/project-file.ts";
import type { DeckOptions } from "./deck-options.ts";
import { withTeam, type DeckTeam } from "./team.ts";

/** The options of a deck that are about its store. */
type StoreOptions = Pick<DeckOptions, "dir" | "store" | "remote" | "team">;

interface StoreParts {
  readonly project: Pick<DeckProject, "refresh" | "secrets"> & {
    readonly forEngine: Pick<ProjectFile["forEngine"], "normaliser">;
    readonly current: Pick<ProjectFile["current"], "config" | "rules">;
  };
  /** Receives what a person should know although nothing failed. */
  readonly warn: (message: string) => void;
  readonly providers: ProviderTable;
}

export interface OpenStore {
  readonly store: WatchedStore;
  readonly findNearest: NearestFinder;
  /** Facts of these recordings, in their order. */
  readonly readFacts: (addresses: readonly RecordingAddress[]) => AsyncGenerator<FoundFacts>;
  readonly team: DeckTeam | undefined;
  /** Removes what processes left when they were killed. Never rejects. */
  readonly tidy: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens the store of a deck. Notes for later processes are kept in its folder. */
export function openStore(
  { dir, store: own, remote, team: wantsTeam = true }: StoreOptions,
  { project, warn, providers }: StoreParts,
): OpenStore {
  const { normaliser } = project.forEngine;
  const pending = createPending();
  const facts = own
    ? undefined
    : createFactsTable({
        dir,
        folders: [dir, teamLayerOf(dir)],
        providers,
        normaliser,
        project,
      });
  const opened = own
    ? { store: own, team: undefined }
    : withTeam({
        dir,
        folder: createFolderStore(dir, { normaliser, ...pickDefined({ facts }) }),
        normaliser,
        remote,
        wantsTeam,
        warn,
        admit: admitting(project, providers),
      });
  const store = facts ? awaitedStore(opened.store, pending, facts) : opened.store;
  return {
    store,
    readFacts: (addresses) =>
      facts ? facts.read(store, addresses) : readEachFact(store, providers, addresses),
    team: opened.team,
    findNearest: createNearestFinder({
      store,
      normaliser,
      ...(facts && {
        readRequests: facts.readRequests.bind(facts, store),
        newest: newestRecordings.bind(undefined, dir),
      }),
    }),
    tidy: () => pending.add(discardLeftOver(dir).catch(() => undefined)),
    async close() {
      await pending.settled();
      await facts?.flush();
      await opened.team?.close();
    },
  };
}

type NearestFinder = ReturnType<typeof createNearestFinder>;
