import { clock } from "./clock.ts";
import { createRecordedRequests, type RecordedRequests } from "../core/match/nearest/recorded-requests.ts";
import type { RequestIndexParts } from "../core/match/nearest/request-index.ts";
import type { TakeTurn } from "../core/source/in-turn.ts";
import { createFolderStore, type FolderAside } from "../storage/folder/folder-store.ts";
import { awaitedStore, createPending, type Pending } from "../storage/folder/pending.ts";
import { createTakeTurns } from "../storage/folder/take-turns.ts";
import { featureFile } from "../storage/keys/feature-file.ts";
import { keyFile, type KeyNotes } from "../storage/keys/key-notes.ts";
import { createRekeyedStore, type RekeyedStore } from "../storage/keys/rekeyed-store.ts";
import type { Project, ProjectFile } from "../storage/local/project-file.ts";
import type { DeckOptions } from "./deck-options.ts";
import { withTeam, type DeckTeam, type TeamStoreOf } from "./team.ts";

/** What of a deck's options is about its store. */
type StoreOptions = Pick<DeckOptions, "dir" | "store" | "remote" | "team">;

interface StoreParts {
  readonly project: {
    readonly current: Pick<Project, "config">;
    readonly asked: Pick<ProjectFile["asked"], "normaliser">;
  };
  /** Told of what a person should know although nothing failed. */
  readonly warn: (message: string) => void;
  readonly aside?: FolderAside;
  readonly noteAside?: RequestIndexParts["noteAside"];
}

export interface OpenStore {
  readonly store: RekeyedStore;
  readonly recorded: RecordedRequests;
  readonly team: DeckTeam | undefined;
  readonly takeTurn: TakeTurn | undefined;
  readonly close: () => Promise<void>;
}

/** The store of a deck, under the project's rules. What is noted of it for other processes lies in its folder. */
export function openStore(
  { dir, store: own, remote, team: wantsTeam = true }: StoreOptions,
  { project, warn, aside, noteAside }: StoreParts,
): OpenStore {
  const { normaliser } = project.asked;
  const pending = createPending();
  const keys = (): KeyNotes => {
    const file = keyFile(dir, project.current.config.normalise);
    return { ...file, ...laterNoted(file, pending) };
  };
  const opened: TeamStoreOf = own
    ? { store: own }
    : withTeam({ dir, folder: createFolderStore(dir, { warn, aside }), remote, wantsTeam, warn });
  const below = own ?? awaitedStore(opened.store, pending);
  const store = createRekeyedStore(below, { normaliser, ...(own === undefined && { notes: keys }) });
  const takeTurns = createTakeTurns();
  const notes = own === undefined ? laterNoted(featureFile(dir, takeTurns), pending) : undefined;
  return {
    store,
    team: opened.team,
    takeTurn: opened.takeTurn,
    recorded: createRecordedRequests({
      store,
      normaliser,
      takeTurns,
      keysOfNow: () => store.keysOfNow(),
      notes,
      noteAside,
      now: () => clock.now(),
    }),
    async close() {
      await pending.settled();
      await opened.team?.close();
      store.release();
      opened.close?.();
    },
  };
}

/** Notes whose writing holds nobody up; the end of the deck waits for it. */
function laterNoted<T>(
  notes: { readonly read: () => Promise<T>; readonly write: (noted: T) => Promise<void> },
  pending: Pending,
): typeof notes {
  return { read: () => notes.read(), write: (noted) => pending.add(notes.write(noted)) };
}
