import { lstatSync } from "node:fs";
import type { Recording, RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import { protocolOf } from "../../core/describe.ts";
import { factsOf, type RecordingFacts } from "../../core/overview/recording-facts.ts";
import { inPortions } from "../../core/portions.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import { signatureOf, type Signature } from "../folder/signature.ts";
import { createTakeTurns } from "../folder/take-turns.ts";
import { readNotedFacts, writeNotedFacts, type FactNotes, type NotedFacts } from "./fact-file.ts";

/** A recording as sums need it. */
export interface KnownRecording {
  readonly address: RecordingAddress;
  /** Of its file; 0 where it lies in none. */
  readonly bytes: number;
  /** When its file came to this machine, in milliseconds since the epoch; 0 where it lies in none. */
  readonly arrivedAt: number;
  /** Undefined for one that cannot be read. */
  readonly facts: RecordingFacts | undefined;
}

export interface FactSources {
  /** The cassette folder. */
  readonly dir: string;
  readonly store: Pick<CassetteStore, "list" | "read">;
  readonly providers: ProviderTable;
  /** Told how many of how many recordings were read, of those of which no note told. */
  readonly onProgress?: (done: number, all: number) => void;
  /** Aborted: what is not known by then stays so. */
  readonly signal?: AbortSignal;
}

/** So many recordings read are worth a note for the next look. */
const WORTH_NOTING = 32;

/** The facts of all recordings: by a note that still stands, or else by reading them, which is noted. */
export async function readFacts(sources: FactSources): Promise<readonly KnownRecording[]> {
  const { dir, store } = sources;
  const takeTurns = createTakeTurns();
  const addresses = await store.list();
  if (addresses.length === 0) return [];
  const notes = await readNotedFacts(dir);
  const found: KnownRecording[] = [];
  const unread: Unread[] = [];
  for (const address of addresses) {
    const turn = takeTurns();
    if (turn) await turn;
    const now = Date.now();
    const stats = lstatSync(`${dir}/${address.entry}`, { throwIfNoEntry: false });
    const facts = stats && notes.of(address.entry, stats);
    if (facts === undefined)
      unread.push({ at: found.length, address, state: stats && signatureOf(stats, now) });
    found.push({ address, bytes: stats?.size ?? 0, arrivedAt: stats?.ctimeMs ?? 0, facts });
  }
  const read = await readUnread(unread, found, sources);
  const kept = found.length - unread.length;
  if (read.size >= WORTH_NOTING || kept < notes.size / 2)
    await writeNotedFacts(dir, notesOf(found, read, notes));
  return found;
}

interface Unread {
  /** Its place among all. */
  readonly at: number;
  readonly address: RecordingAddress;
  readonly state: Signature | undefined;
}

/** Reads what no note tells of, into its places. Gives the states in which they were read. */
async function readUnread(
  unread: readonly Unread[],
  found: KnownRecording[],
  sources: FactSources,
): Promise<ReadonlyMap<string, Signature | undefined>> {
  const read = new Map<string, Signature | undefined>();
  await inPortions(unread, async ({ at, address, state }) => {
    if (sources.signal?.aborted === true) return;
    const facts = await readOne(address.entry, sources);
    const before = found[at];
    if (before) found[at] = { ...before, facts };
    read.set(address.entry, state);
    sources.onProgress?.(read.size, unread.length);
  });
  return read;
}

/** What was written a moment ago may change unseen, and is read again. */
function notesOf(
  found: readonly KnownRecording[],
  read: ReadonlyMap<string, Signature | undefined>,
  notes: FactNotes,
): ReadonlyMap<string, NotedFacts> {
  const known = new Map<string, NotedFacts>();
  for (const { address, facts } of found) {
    const { entry } = address;
    const now = read.get(entry);
    const state = read.has(entry) ? now?.settled === true && now : notes.stateOf(entry);
    if (facts !== undefined && state) known.set(entry, { state, facts });
  }
  return known;
}

/** Undefined where it cannot be read: whoever opens it is told why. */
function readOne(
  entry: string,
  { store, providers }: Pick<FactSources, "store" | "providers">,
): Promise<RecordingFacts | undefined> {
  return store
    .read(entry)
    .then((recording) => factsIn(recording, providers))
    .catch(() => undefined);
}

function factsIn(recording: Recording, providers: ProviderTable): RecordingFacts {
  return factsOf(recording, protocolOf(recording, providers).project(recording.reply));
}
