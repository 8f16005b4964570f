import { lstatSync } from "node:fs";
import { join } from "node:path";
import { handleTapedeckErrors } from "../core/base/errors.ts";
import { createNearestFinder } from "../core/match/nearest/nearest.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { CassetteStore, WatchedStore } from "../core/cassette/store.ts";
import type { ProviderTable } from "../core/protocol/registry.ts";
import { createAdmit } from "./admit.ts";
import type { DeckProject } from "./project.ts";
import { createFolderStore } from "../storage/folder/folder-store.ts";
import { readRequestIn } from "../storage/folder/recorded-request.ts";
import { discardLeftOver } from "../storage/folder/durable-write.ts";
import { settleMoves } from "../storage/folder/moves.ts";
import { createFactsTable, type FactsTable, type FoundFacts } from "../storage/local/facts-table.ts";
import { getTeamLayer } from "../storage/team/team-layer.ts";
import { pickDefined } from "../core/base/pick-defined.ts";
import type { ProjectFile } from "../storage/local/project-file.ts";
import type { DeckOptions } from "./deck-options.ts";
import { withTeam, type DeckTeam } from "./team.ts";

type StoreOptions = Pick<DeckOptions, "dir" | "store" | "remote" | "team">;

interface StoreParts {
  readonly project: Pick<DeckProject, "refresh" | "secrets"> & {
    readonly forEngine: Pick<ProjectFile["forEngine"], "normalizer">;
    readonly current: Pick<ProjectFile["current"], "config" | "rules">;
  };
  /** Receives what a person should know although nothing failed. */
  readonly warn: (message: string) => void;
  readonly providers: ProviderTable;
}

export interface OpenStore {
  readonly store: WatchedStore;
  readonly findNearest: ReturnType<typeof createNearestFinder>;
  /** Facts of these recordings, in their order. */
  readonly readFacts: (addresses: readonly RecordingAddress[]) => AsyncGenerator<FoundFacts>;
  readonly team: DeckTeam | undefined;
  /** Finishes or removes what processes left when they were killed. Never rejects. */
  readonly tidy: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens the store of a deck. Notes for later processes are kept in its folder. */
export function openStore(
  { dir, store: own, remote, team: wantsTeam = true }: StoreOptions,
  { project, warn, providers }: StoreParts,
): OpenStore {
  const { normalizer } = project.forEngine;
  const pending = createPending();
  const folders = [dir, getTeamLayer(dir)];
  const facts = own ? undefined : createFactsTable({ dir, folders, providers, project });
  const opened = own
    ? { store: own, team: undefined }
    : withTeam({
        dir,
        folder: createFolderStore(dir, { normalizer, ...pickDefined({ facts }) }),
        normalizer,
        remote,
        wantsTeam,
        warn,
        admit: createAdmit(project, providers),
      });
  const store = facts ? createAwaitedStore(opened.store, pending, facts) : opened.store;
  return {
    store,
    readFacts: (addresses) =>
      facts ? facts.read(store, addresses) : readEachFact(store, providers, addresses),
    team: opened.team,
    findNearest: createNearestFinder({
      store,
      normalizer,
      ...(facts && {
        readRequest: readRequestIn.bind(undefined, folders),
        newest: listNewestRecordings.bind(undefined, dir),
      }),
    }),
    tidy: async () => {
      // Committed replacements first, because they need their temporary files.
      const tidied = settleMoves(dir).then(() => discardLeftOver(dir));
      await pending.add(tidied.catch(() => undefined));
    },
    async close() {
      await pending.settled();
      await facts?.flush();
      await opened.team?.close();
    },
  };
}

/** Reads the facts of recordings that are not in a folder. */
async function* readEachFact(
  store: Pick<CassetteStore, "read">,
  providers: ProviderTable,
  addresses: readonly RecordingAddress[],
): AsyncGenerator<FoundFacts> {
  const { readFacts } = await import("../core/view/recording-facts.ts");
  for (const address of addresses) {
    const read = await store.read(address.entry).then(
      (recording) => ({ facts: readFacts(recording, providers) }),
      handleTapedeckErrors((broken) => ({ broken })),
    );
    yield { address, stamp: undefined, ...read };
  }
}

/** Returns the recordings whose files changed last, in the order of the list. */
export function listNewestRecordings(
  dir: string,
  all: readonly RecordingAddress[],
  count: number,
): readonly RecordingAddress[] {
  const changedAt = (entry: string): number =>
    lstatSync(join(dir, entry), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const times = new Map(all.map(({ entry }) => [entry, changedAt(entry)]));
  const timeOf = ({ entry }: RecordingAddress): number => times.get(entry) ?? 0;
  const newest = new Set(all.toSorted((one, other) => timeOf(other) - timeOf(one)).slice(0, count));
  return all.filter((address) => newest.has(address));
}

/** Background work that is awaited at the end. */
export function createPending() {
  const under = new Set<Promise<unknown>>();
  return {
    add<T>(work: Promise<T>): Promise<T> {
      under.add(work);
      const over = (): void => void under.delete(work);
      work.then(over, over);
      return work;
    },
    /** Resolves when all work has ended. Its callers handle failures. */
    async settled(): Promise<void> {
      while (under.size > 0) await Promise.allSettled(under);
    },
  };
}

/**
 * Wraps a store so that its writes count as pending, because a process that ends during a write leaves a temporary file.
 * Written recordings are noted. `below` must be a plain object.
 */
export function createAwaitedStore<T extends CassetteStore>(
  below: T,
  pending: ReturnType<typeof createPending>,
  notes: Pick<FactsTable, "noteWritten">,
): T {
  const save: T["save"] = async (recording, number) => {
    const address = await below.save(recording, number);
    notes.noteWritten(address.entry);
    return address;
  };
  const replace: T["replace"] = async (entry, recording, since, together = []) => {
    await below.replace(entry, recording, since, together);
    for (const one of [{ entry }, ...together]) notes.noteWritten(one.entry);
  };
  return {
    ...below,
    save: (recording, number) => pending.add(save(recording, number)),
    replace: (...change) => pending.add(replace(...change)),
  };
}
