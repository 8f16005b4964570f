import { createNearestFinder, type FeatureNotes } from "../core/match/nearest/nearest.ts";
import type { WatchedStore } from "../core/cassette/store.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import { admitting } from "./admit.ts";
import type { DeckProject } from "./project.ts";
import { createFolderStore } from "../storage/folder/folder-store.ts";
import { awaitedStore, createPending } from "../storage/folder/pending.ts";
import { discardLeftOver } from "../storage/folder/temporary.ts";
import { nearestNotes, newestRecordings } from "../storage/local/nearest-notes.ts";
import type { ProjectFile } from "../storage/local/project-file.ts";
import type { DeckOptions } from "./deck-options.ts";
import { withTeam, type DeckTeam } from "./team.ts";

/** The options of a deck that are about its store. */
type StoreOptions = Pick<DeckOptions, "dir" | "store" | "remote" | "team">;

interface StoreParts {
  readonly project: Pick<DeckProject, "refresh" | "secrets"> & {
    readonly asked: Pick<ProjectFile["asked"], "normaliser">;
  };
  /** Receives what a person should know although nothing failed. */
  readonly warn: (message: string) => void;
  readonly providers: ProviderTable;
}

export interface OpenStore {
  readonly store: WatchedStore;
  readonly findNearest: ReturnType<typeof createNearestFinder>;
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
  const { normaliser } = project.asked;
  const pending = createPending();
  const opened = own
    ? { store: own, team: undefined }
    : withTeam({
        dir,
        folder: createFolderStore(dir, { normaliser }),
        normaliser,
        remote,
        wantsTeam,
        warn,
        admit: admitting(project, providers),
      });
  const store = own ?? awaitedStore(opened.store, pending);
  const notes = nearestNotes(dir);
  const ofFolder = own === undefined && {
    // The end of the deck waits until they are written.
    notes: { ...notes, write: (noted: FeatureNotes) => pending.add(notes.write(noted)) },
    newest: newestRecordings.bind(undefined, dir),
  };
  return {
    store,
    team: opened.team,
    findNearest: createNearestFinder({ store, normaliser, ...ofFolder }),
    tidy: () => pending.add(discardLeftOver(dir).catch(() => undefined)),
    async close() {
      await pending.settled();
      await opened.team?.close();
    },
  };
}
