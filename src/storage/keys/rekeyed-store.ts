import { readEntry, isNamedByRules } from "../../core/cassette/address.ts";
import type { Recording, RecordedReply, RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore, StoreChange } from "../../core/cassette/store.ts";
import type { Key } from "../../core/call.ts";
import { operationRequest } from "../../core/describe.ts";
import { computeKey, type Normaliser } from "../../core/match/key/key.ts";
import { noSuchRecording } from "../folder/failures.ts";
import { sha256 } from "../folder/sha256.ts";
import type { NamedStore } from "./named-by-rules.ts";
import { createKeyIndex, type KeyIndex } from "./key-index.ts";
import { firstAtOf } from "./key-table.ts";
import type { KeyNotes } from "./key-notes.ts";
import { createListeners, together } from "../../core/listeners.ts";

export interface RekeyedStore extends CassetteStore {
  /** The keys of now, by entry, brought up to date. Undefined where names tell. */
  keysOfNow(): Promise<((entry: string) => Key | undefined) | undefined>;
  /** Gives back what the index holds. */
  release(): void;
}

export interface RekeyingOptions {
  /** The rules of now; undefined where there are none. */
  readonly normaliser: () => Normaliser | undefined;
  /** Keys under the rules of now that earlier processes noted. */
  readonly notes?: () => KeyNotes;
}

/**
 * A store over another one that finds recordings by the key that they have under the rules of now, whatever key they
 * were named by. Names stay as they are. Where there are no rules, and no recording was named under any, names tell
 * and nothing is read.
 */
export function createRekeyedStore(below: NamedStore, options: RekeyingOptions): RekeyedStore {
  const { normaliser } = options;
  const listeners = createListeners<StoreChange>();
  const current = createCurrentIndex(below, options, () => listeners.notify({}));
  const { indexNow, release } = current;
  const nameByKey = (recording: Recording, key: Key): Recording => {
    const { exactKey: _, requestKey, ...rest } = recording;
    const exactKey = requestKey ?? keyOf(recording);
    return { ...rest, key, ...(exactKey !== key && { exactKey }) };
  };
  const read: CassetteStore["read"] = async (entry, onFile) => {
    const recording = await below.read(entry, onFile);
    const tells = indexNow() === undefined && !isNamedByRules(recording);
    return tells ? recording : { ...recording, key: keyOf(recording, normaliser()) };
  };

  return {
    ...finding(below, indexNow),
    read,
    list: () => below.list(),
    async save(recording, number) {
      const address = await below.save(nameByKey(recording, recording.key), number);
      indexNow()?.changed(address.entry);
      return address;
    },
    standing: (entry) => below.standing(entry),
    async replace(entry, recording, since) {
      const address = readEntry(entry);
      const keys = indexNow();
      const isBrought = keys !== undefined && !("wrong" in address) && address.key !== recording.key;
      const inPlace = isBrought ? { ...recording, ...(await firstRecordedAt(entry, below)) } : recording;
      await below.replace(entry, "wrong" in address ? inPlace : nameByKey(inPlace, address.key), since);
      keys?.changed(entry);
    },
    remove: (entry) => below.remove(entry),
    watch: (listener) => together(listeners.add(listener), below.watch(listener)),
    release,
  };
}

/** Renaming during a look at all names hides what goes from a folder not yet looked at into one that was. */
const LOOKS = 5;

/** Looks until two looks at all names saw the same: nothing was renamed between them. */
async function lookAgain(
  provider: string,
  key: Key,
  { below, keys }: { readonly below: CassetteStore; readonly keys: KeyIndex },
): Promise<readonly RecordingAddress[]> {
  for (let looks = 1; ; looks += 1) {
    const before = await below.list();
    await keys.settle(provider, key);
    const takes = keys.takes(provider, key);
    if (takes.length > 0 || looks === LOOKS || haveSameNames(before, await below.list())) return takes;
  }
}

function haveSameNames(before: readonly RecordingAddress[], now: readonly RecordingAddress[]): boolean {
  return before.length === now.length && before.every(({ entry }, at) => entry === now[at]?.entry);
}

/** What keeps a take that is made anew where it was among those of other names. What cannot be read was nowhere. */
async function firstRecordedAt(
  entry: string,
  below: CassetteStore,
): Promise<Pick<Recording, "firstRecordedAt">> {
  const before = await below.read(entry).catch(() => undefined);
  return before === undefined ? {} : { firstRecordedAt: firstAtOf(before) };
}

/** How recordings are found: by the index where there is one, else by their names. */
function finding(
  below: CassetteStore,
  indexNow: CurrentIndex["indexNow"],
): Pick<RekeyedStore, "takes" | "settle" | "replay" | "keysOfNow"> {
  const takes: CassetteStore["takes"] = (provider, key) => (indexNow() ?? below).takes(provider, key);
  return {
    takes,
    async settle(provider, key) {
      const keys = indexNow();
      if (keys === undefined) return below.settle(provider, key);
      await keys.settle(provider, key);
      if (takes(provider, key).length > 0) return;
      // The store below has more to look for where the rules of now find nothing.
      const before = below.takes(provider, key).length;
      await below.settle(provider, key);
      if (below.takes(provider, key).length !== before) await indexNow()?.settle(provider, key);
    },
    async replay(provider, key, choose) {
      if (indexNow() === undefined) {
        const reply = await below.replay(provider, key, choose);
        if (reply !== undefined) return reply;
      }
      // A look below may have been the one that found out that names mislead.
      const keys = indexNow();
      if (keys === undefined) return undefined;
      const entry = choose(takes(provider, key)) ?? choose(await lookAgain(provider, key, { below, keys }));
      const again = (): Promise<RecordedReply | undefined> => below.replay(provider, key, () => entry);
      return entry === undefined ? undefined : verifiedReply(entry, again, { below, keys });
    },
    async keysOfNow() {
      const keys = indexNow();
      await keys?.settleAll();
      return keys && ((entry) => keys.keyOf(entry));
    },
  };
}

interface CurrentIndex {
  readonly indexNow: () => KeyIndex | undefined;
  readonly release: () => void;
}

function keyOf(recording: Recording, normalise?: Normaliser): Key {
  return computeKey(operationRequest(recording), sha256, normalise);
}

/** The index under the rules of now; none where names tell. */
function createCurrentIndex(
  below: NamedStore,
  { normaliser, notes }: RekeyingOptions,
  onReady: () => void,
): CurrentIndex {
  let index: { readonly of: Normaliser | undefined; readonly keys: KeyIndex } | undefined;
  const release = (): void => {
    index?.keys.dispose();
    index = undefined;
  };
  const indexNow = (): KeyIndex | undefined => {
    const of = normaliser();
    if (of === undefined && !below.hasNamedByRules()) {
      release();
      return undefined;
    }
    if (index === undefined || index.of !== of) {
      index?.keys.dispose();
      const noted = notes?.();
      const ofNow = (recording: Recording): Key => keyOf(recording, of);
      index = { of, keys: createKeyIndex({ below, keyOf: ofNow, onReady, notes: noted }) };
    }
    return index.keys;
  };
  return { indexNow, release };
}

/**
 * A reply whose request was seen to have the key under which it was found: files change, and the index follows later.
 * Request and reply are of one reading; what the store below remembers is trusted once it was seen to be the same.
 */
async function verifiedReply(
  entry: string,
  replay: () => Promise<RecordedReply | undefined>,
  { below, keys }: { readonly below: CassetteStore; readonly keys: KeyIndex },
): Promise<RecordedReply> {
  const expected = keys.keyOf(entry);
  try {
    // Once refused where nothing said that names may mislead; here they do not.
    const remembered = await replay().catch(replay);
    if (remembered !== undefined && keys.isVerified(entry, remembered)) return remembered;
    const recording = await below.read(entry);
    const isSame = (await replay()) === remembered;
    const key = keys.verified(entry, recording, isSame ? remembered : undefined);
    if (expected === undefined || key === expected) return recording.reply;
  } catch (error) {
    keys.changed(entry);
    throw error;
  }
  throw noSuchRecording(entry);
}
