import type { RecordingAddress } from "../../cassette/recording.ts";
import type { CassetteStore } from "../../cassette/store.ts";
import type { Disposable, Key } from "../../call.ts";
import type { DescribedRequest } from "../../describe.ts";
import { inPortions } from "../../portions.ts";
import type { TakeTurns } from "../../take-turns.ts";
import type { NotedFeatures, NotedRequest } from "./feature-notes.ts";
import { createFeatureReader, type Features } from "./features.ts";
import type { Normaliser, KeyedRequest } from "../key/key.ts";
import { createNearestIndex, type NearestIndex } from "./nearest.ts";
import { ruledRequest } from "../rules/ruled-request.ts";

/** So many recordings read are worth a note for the next process. */
const WORTH_NOTING = 64;

export interface RequestIndexParts {
  readonly store: CassetteStore;
  readonly normaliser: () => Normaliser | undefined;
  /** Notes of earlier processes; without them every recording is read once. */
  readonly notes?: NotedFeatures | undefined;
  /** While notes are taken up; where recordings are read, the store lets others have their turn. */
  readonly takeTurns?: TakeTurns;
}

function notedOf(
  described: DescribedRequest,
  normalise: Normaliser | undefined,
  featuresOf: (request: KeyedRequest) => Features,
): NotedRequest {
  const request = ruledRequest(described, normalise);
  return { operation: request.operation, features: featuresOf(request) };
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
  let mayAllHaveChanged = false;
  let catchingUp: Promise<unknown> = Promise.resolve();
  let watching: Disposable | undefined;
  const watch = (): Disposable =>
    store.watch(({ entry }) => {
      isListed = false;
      // Those that are being read are not known yet.
      if (entry === undefined) mayAllHaveChanged = true;
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
    const isOld = (one: string): boolean => mayAllHaveChanged || changed.has(one) || !standing.has(one);
    for (const entry of [...known.keys()].filter(isOld)) {
      into.remove(entry);
      known.delete(entry);
    }
    changed.clear();
    mayAllHaveChanged = false;
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

/** Adds recordings by what is noted of their keys, from which their features follow, and reads the others. */
function createAdder({ store, notes, takeTurns }: RequestIndexParts): Adder {
  const featuresOf = createFeatureReader();
  let noted: Map<Key, NotedRequest> | undefined;

  return {
    async addTo(index, fresh, normalise) {
      if (notes !== undefined) noted ??= new Map(await notes.read());
      const unknown: RecordingAddress[] = [];
      for (const address of fresh) {
        const note = noted?.get(address.key);
        if (note === undefined) unknown.push(address);
        else index.addKnown(address.entry, { provider: address.provider, ...note });
        const turn = takeTurns?.();
        if (turn) await turn;
      }
      await inPortions(unknown, async (address) => {
        const { entry, provider } = address;
        const note = await readNote(entry, { store, normalise, featuresOf });
        if (note === undefined) return;
        index.addKnown(entry, { provider, ...note });
        noted?.set(address.key, note);
      });
      return noted !== undefined && unknown.length >= WORTH_NOTING;
    },
    note(standing) {
      const keys = new Set(standing.map(({ key }) => key));
      void notes?.write(new Map([...(noted ?? [])].filter(([key]) => keys.has(key))));
    },
  };
}

interface NoteReading extends Pick<RequestIndexParts, "store"> {
  readonly normalise: Normaliser | undefined;
  readonly featuresOf: (request: KeyedRequest) => Features;
}

/** Undefined for a broken recording: it is nobody's nearest, and reported where recordings are checked. */
async function readNote(
  entry: string,
  { store, normalise, featuresOf }: NoteReading,
): Promise<NotedRequest | undefined> {
  try {
    const { provider, operation, request } = await store.read(entry);
    return notedOf({ provider, operation, request }, normalise, featuresOf);
  } catch {
    return undefined;
  }
}
