import type { Recording, RecordedReply, RecordingAddress } from "../../core/cassette/recording.ts";
import type { Disposable, Key } from "../../core/call.ts";
import { inPortions } from "../../core/portions.ts";
import { createKeyTable, firstAtOf, type KeyTable, type Known } from "./key-table.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import type { KeyNotes, NotedKey } from "./key-notes.ts";
import { createTakeTurns } from "../folder/take-turns.ts";

/** Which recordings answer which keys, by their contents. */
export interface KeyIndex extends Disposable {
  /** What answers a key as far as it was read: those named otherwise by age, then those named by it, in order. */
  takes(provider: string, key: Key): readonly RecordingAddress[];
  /** Reads what is new or changed: what no note tells at first, later only where something may have changed. */
  settle(provider: string, key: Key): Promise<void> | undefined;
  /** As `settle`, for the keys of all. */
  settleAll(): Promise<void>;
  keyOf(entry: string): Key | undefined;
  /** The entry is read again before it counts again. */
  changed(entry: string): void;
  isVerified(entry: string, reply: RecordedReply): boolean;
  /** Takes in what was just read, and the reply that the store below remembers of it. Gives its key. */
  verified(entry: string, recording: Recording, reply: RecordedReply | undefined): Key;
}

export interface KeyIndexParts extends KeyReaderParts {
  /** Told when all keys are known for the first time. */
  readonly onReady: () => void;
}

export function createKeyIndex({ below, keyOf, onReady, notes }: KeyIndexParts): KeyIndex {
  const table = createKeyTable();
  const replies = new WeakMap<RecordedReply, string>();
  const changes = createChanges();
  let isComplete = false;
  let isOutdated = true;
  let catchingUp: Promise<void> | undefined;

  const outdate = (entry: string | undefined): void => {
    isOutdated = true;
    changes.add(entry);
  };
  const watching = below.watch(({ entry }) => outdate(entry));
  const reader = createKeyReader({ below, keyOf, notes });
  let last: readonly RecordingAddress[] | undefined;
  const catchUp = async (): Promise<void> => {
    isOutdated = false;
    const addresses = await below.list();
    if (addresses === last && !changes.isAny()) return;
    last = undefined;
    await learnAll(addresses, { table, reader, changed: changes.among(addresses) });
    last = addresses;
    if (isComplete) return;
    isComplete = true;
    reader.note(table.known);
    onReady();
  };
  const settleAll = (): Promise<void> => {
    // One after the other, so that whoever waits sees all that was there when it asked.
    const next = (catchingUp ?? Promise.resolve()).then(catchUp);
    catchingUp = next.catch(() => outdate(undefined)); // what was to be looked at again is not known any more
    return next;
  };
  return {
    takes: (provider, key) => (isComplete ? table.takes(provider, key) : below.takes(provider, key)),
    settle(provider, key) {
      const hasNew = below.takes(provider, key).some(({ entry }) => !table.known.has(entry));
      if (isComplete && !isOutdated && !hasNew && table.takes(provider, key).length > 0) return undefined;
      return settleAll();
    },
    settleAll: () => (isComplete && !isOutdated ? Promise.resolve() : settleAll()),
    keyOf: (entry) => table.known.get(entry)?.key,
    changed: outdate,
    isVerified: (entry, reply) => replies.get(reply) === entry && table.known.has(entry),
    verified(entry, recording, reply) {
      const key = keyOf(recording);
      if (table.update(entry, key, firstAtOf(recording)) && reply !== undefined) replies.set(reply, entry);
      return key;
    },
    dispose: () => watching.dispose(),
  };
}

/** Entries that are to be looked at again. */
interface Changes {
  /** Where it is not told which, all may be: those that are known, and those that are being read. */
  add(entry: string | undefined): void;
  isAny(): boolean;
  /** Those of them, in a set to take them out of. */
  among(addresses: readonly RecordingAddress[]): Set<string>;
}

function createChanges(): Changes {
  const changed = new Set<string>();
  let mayBeAll = false;
  return {
    add(entry) {
      if (entry === undefined) mayBeAll = true;
      else changed.add(entry);
    },
    isAny: () => mayBeAll || changed.size > 0,
    among(addresses) {
      if (mayBeAll) for (const { entry } of addresses) changed.add(entry);
      mayBeAll = false;
      return changed;
    },
  };
}

interface Learning {
  readonly table: KeyTable;
  readonly reader: KeyReader;
  /** Entries that are looked at again. */
  readonly changed: Set<string>;
}

/** Looks at what is new or changed, and forgets what went. */
async function learnAll(
  addresses: readonly RecordingAddress[],
  { table, reader, changed }: Learning,
): Promise<void> {
  table.keepOnly(new Set(addresses.map(({ entry }) => entry)));
  const fresh = addresses.filter(({ entry }) => !table.known.has(entry) || changed.has(entry));
  // Not after the reading, during which more may change.
  changed.clear();
  await inPortions(fresh, async (address) => {
    changed.delete(address.entry);
    table.learn(await reader.read(address));
  });
}

interface KeyReaderParts {
  readonly below: CassetteStore;
  /** Under the rules of now. */
  readonly keyOf: (recording: Recording) => Key;
  /** What earlier processes knew under the same rules; without it every recording is read once. */
  readonly notes?: KeyNotes | undefined;
}

/** Learns the keys of recordings: by a note that still stands, or else by reading them. */
interface KeyReader {
  read(address: RecordingAddress): Promise<Known>;
  /** For when all were read once: keeps what is known for the next process, where it took some reading. */
  note(known: ReadonlyMap<string, Known>): void;
}

/** So many recordings read are worth a note for the next process. */
const WORTH_NOTING = 64;

function createKeyReader({ below, keyOf, notes }: KeyReaderParts): KeyReader {
  const takeTurns = createTakeTurns();
  const states = new Map<string, string>();
  let noted: Promise<ReadonlyMap<string, NotedKey>> | undefined;
  let count = 0;
  return {
    async read(address) {
      await takeTurns();
      const { entry } = address;
      const note = (await (noted ??= notes?.read()))?.get(entry);
      // Before it is read: what changes afterwards makes another state.
      const state = notes?.stateOf(entry);
      if (state !== undefined) states.set(entry, state);
      if (note !== undefined && note.state === state) return { address, ...note };
      count += 1;
      return knownAt(address, below, keyOf);
    },
    note(known) {
      if (count >= WORTH_NOTING) void notes?.write(notesOf(known, states));
      noted = Promise.resolve(new Map());
      states.clear();
    },
  };
}

function notesOf(
  known: ReadonlyMap<string, Known>,
  states: ReadonlyMap<string, string>,
): ReadonlyMap<string, NotedKey> {
  const notes = new Map<string, NotedKey>();
  for (const [entry, { key, firstAt }] of known) {
    const state = states.get(entry);
    // What cannot be read is looked at again: it may be for want of a blob or of a right.
    if (state !== undefined && firstAt !== "") notes.set(entry, { state, key, firstAt });
  }
  return notes;
}

async function knownAt(
  address: RecordingAddress,
  below: CassetteStore,
  keyOf: (recording: Recording) => Key,
): Promise<Known> {
  try {
    const recording = await below.read(address.entry);
    return { address, key: keyOf(recording), firstAt: firstAtOf(recording) };
  } catch {
    // A broken recording answers by its name, so that its call says what is wrong with it.
    return { address, key: address.key, firstAt: "" };
  }
}
