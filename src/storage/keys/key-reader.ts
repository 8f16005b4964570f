import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import type { Key } from "../../core/call.ts";
import type { KeyNotes, NotedKey } from "./key-notes.ts";
import { firstAtOf, type Known } from "./key-table.ts";
import { createTakeTurns } from "../folder/take-turns.ts";

export interface KeyReaderParts {
  readonly below: CassetteStore;
  /** Under the rules of now. */
  readonly keyOf: (recording: Recording) => Key;
  /** What earlier processes knew under the same rules; without it every recording is read once. */
  readonly notes?: KeyNotes | undefined;
}

/** Learns the keys of recordings: by a note that still stands, or else by reading them. */
export interface KeyReader {
  read(address: RecordingAddress): Promise<Known>;
  /** For when all were read once: keeps what is known for the next process, where it took some reading. */
  note(known: ReadonlyMap<string, Known>): void;
}

/** So many recordings read are worth a note for the next process. */
const WORTH_NOTING = 64;

export function createKeyReader({ below, keyOf, notes }: KeyReaderParts): KeyReader {
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
