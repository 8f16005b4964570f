import type { RecordingAddress } from "../cassette/recording.ts";
import type { CassetteStore } from "../cassette/store.ts";
import type { Disposable, Key } from "../exchange.ts";
import { inPortions } from "../portions.ts";
import type { NotedFeatures, NotedRequest } from "./feature-notes.ts";
import { featuresOf } from "./features.ts";
import type { Normaliser } from "./key.ts";
import { createNearestIndex, type NearestIndex } from "./nearest.ts";
import { ruledRequest } from "./ruled-request.ts";

/** So many recordings read are worth a note for the next process. */
const WORTH_NOTING = 64;

export interface RequestIndexParts {
  readonly store: CassetteStore;
  readonly normaliser: () => Normaliser | undefined;
  /** Notes of earlier processes; without them every recording is read once. */
  readonly notes?: NotedFeatures;
}

/** An index of the requests of all recordings of a store. */
export interface RequestIndex extends Disposable {
  /** The index as far as the store told of changes. Nothing is read before the first call. */
  current(): Promise<NearestIndex>;
}

/** New files are added, those that went are taken out, and those that changed are looked at again. */
export function createRequestIndex(parts: RequestIndexParts): RequestIndex {
  const { store, normaliser } = parts;
  let index: NearestIndex | undefined;
  let applied = normaliser();
  const known = new Map<string, RecordingAddress>();
  const changed = new Set<string>();
  const adder = createAdder(parts);
  let isListed = false;
  let catchingUp: Promise<unknown> = Promise.resolve();
  let watching: Disposable | undefined;
  const watch = (): Disposable =>
    store.watch(({ entry }) => {
      isListed = false;
      if (entry === undefined) for (const every of known.keys()) changed.add(every);
      else changed.add(entry);
    });

  const catchUp = async (): Promise<NearestIndex> => {
    if (applied !== normaliser()) {
      applied = normaliser();
      index = undefined;
      known.clear();
    }
    const into = (index ??= createNearestIndex());
    watching ??= watch();
    if (isListed && known.size > 0) return into;
    isListed = true;
    const standing = new Map((await store.list()).map((address) => [address.entry, address]));
    for (const entry of [...known.keys()].filter((one) => !standing.has(one) || changed.has(one))) {
      into.remove(entry);
      known.delete(entry);
    }
    changed.clear();
    const fresh = [...standing.values()].filter(({ entry }) => !known.has(entry));
    const isWorthNoting = await adder.addTo(into, fresh, applied);
    for (const address of fresh) known.set(address.entry, address);
    if (isWorthNoting) adder.note([...known.values()]);
    return into;
  };

  return {
    current() {
      const caughtUp = catchingUp.then(catchUp);
      catchingUp = caughtUp.catch(() => (isListed = false));
      return caughtUp;
    },
    dispose: () => watching?.dispose(),
  };
}

interface Adder {
  /** Resolves to whether so much had to be read that the next process should be spared it. */
  addTo(
    index: NearestIndex,
    fresh: readonly RecordingAddress[],
    normalise: Normaliser | undefined,
  ): Promise<boolean>;
  note(standing: readonly RecordingAddress[]): void;
}

/** Adds recordings by what is noted of them, and reads the others. */
function createAdder({ store, notes }: RequestIndexParts): Adder {
  let noted: Map<Key, NotedRequest> | undefined;

  /** Notes tell by key; under rules, and where names may mislead, a key tells of another request. */
  const notesUnder = async (
    normalise: Normaliser | undefined,
  ): Promise<Map<Key, NotedRequest> | undefined> => {
    if (notes === undefined || normalise !== undefined || store.hasNormalised?.() === true) return undefined;
    return (noted ??= new Map(await notes.read()));
  };

  return {
    async addTo(index, fresh, normalise) {
      const byKey = await notesUnder(normalise);
      const unknown = fresh.filter(({ entry, provider, key }) => {
        const note = byKey?.get(key);
        if (note !== undefined) index.addKnown(entry, { provider, ...note });
        return note === undefined;
      });
      await inPortions(unknown, async ({ entry, provider, key }) => {
        const note = await readNote(store, entry, normalise);
        if (note === undefined) return;
        index.addKnown(entry, { provider, ...note });
        byKey?.set(key, note);
      });
      return byKey !== undefined && unknown.length >= WORTH_NOTING;
    },
    note(standing) {
      const keys = new Set(standing.map(({ key }) => key));
      void notes?.write(new Map([...(noted ?? [])].filter(([key]) => keys.has(key))));
    },
  };
}

/** Undefined for a broken recording: it is nobody's nearest, and reported where recordings are checked. */
async function readNote(
  store: CassetteStore,
  entry: string,
  normalise: Normaliser | undefined,
): Promise<NotedRequest | undefined> {
  try {
    const request = ruledRequest(await store.read(entry), normalise);
    return { operation: request.operation, features: featuresOf(request) };
  } catch {
    return undefined;
  }
}
