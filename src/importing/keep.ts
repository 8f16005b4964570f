import type { Recording, RecordedReply } from "../core/cassette/recording.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import { handleTapedeckErrors } from "../core/base/errors.ts";
import { isAddress } from "../core/protocol/kept-headers.ts";
import { computeSha256 } from "../storage/folder/read-file.ts";

export type Keeper = ReturnType<typeof createKeeper>;

interface KeptRecording {
  readonly entry: string;
  readonly isNew: boolean;
}

/** Source of a recording: the name of its key, its cassette, and the cassette's position among the takes of each key. */
interface Place {
  readonly name: string;
  readonly cassette: string;
  readonly come: Map<string, number>;
}

interface StoredCall {
  readonly entry: string;
  readonly print: string;
  readonly cassettes: Set<string>;
}

/**
 * Adds recordings to a store without duplicates, even if they are imported again. Within a cassette, identical calls are
 * takes in order, even if their replies are the same. Across cassettes and earlier imports, the same call with the same
 * reply is one recording that belongs to all of them.
 */
export function createKeeper(store: CassetteStore) {
  const known = new Map<string, StoredCall[]>();
  const shared = new Map<string, StoredCall>();
  let cassette = "";
  /** Position of the cassette among the takes of each key. */
  let come = new Map<string, number>();
  const turns = new Map<string, Promise<unknown>>();
  const keepAmong = async (recording: Recording, at: Place): Promise<KeptRecording> => {
    const { provider, key, cassettes: owners = [] } = recording;
    const takes = known.get(at.name) ?? (await readStanding(store, provider, key));
    known.set(at.name, takes);
    const print = printOf(recording.reply);
    const index = placeAmong(takes, { print, cassette: at.cassette, from: at.come.get(at.name) ?? 0 });
    const same = takes[index];
    at.come.set(at.name, (same === undefined ? takes.length : index) + 1);
    if (same === undefined) {
      // A first take needs no second look at its folder, which each new recording changes.
      const number = takes.length === 0 ? 1 : undefined;
      const { entry } = await store.save(withCassettes(recording, owners), number);
      takes.push({ entry, print, cassettes: new Set(owners) });
      return { entry, isNew: true };
    }
    if (owners.some((owner) => !same.cassettes.has(owner))) shared.set(same.entry, same);
    for (const owner of owners) same.cassettes.add(owner);
    return { entry: same.entry, isNew: false };
  };
  return {
    /** Starts another cassette: repeated calls are counted per cassette. */
    begin(next: string): void {
      cassette = next;
      come = new Map();
    },
    /**
     * Adds a take, unless the store has one with this reply after the cassette's earlier takes. Calls can overlap; those
     * of one key are processed in order.
     */
    keep(recording: Recording): Promise<KeptRecording> {
      const name = `${recording.provider}\n${recording.key}`;
      const at = { name, cassette, come };
      const before = turns.get(name) ?? Promise.resolve();
      const kept = before.then(() => keepAmong(recording, at));
      turns.set(name, kept);
      return kept;
    },
    /** Writes the names of cassettes into the recordings that they share. Call it after all others are done. */
    async finish(): Promise<void> {
      for (const { entry, cassettes } of shared.values()) {
        const since = store.hashContent(entry);
        const recording = await store.read(entry);
        await store.replace(entry, withCassettes(recording, [...cassettes].sort()), since);
      }
      shared.clear();
    },
  };
}

function withCassettes(recording: Recording, cassettes: readonly string[]): Recording {
  if (cassettes.length > 0) return { ...recording, cassettes };
  const { cassettes: _, ...rest } = recording;
  return rest;
}

/** Finds the next take with this reply, preferably one of this cassette. Returns -1 if there is none. */
function placeAmong(
  takes: readonly StoredCall[],
  { print, cassette, from }: { readonly print: string; readonly cassette: string; readonly from: number },
): number {
  const own = takes.findIndex(
    (take, at) => at >= from && take.print === print && take.cassettes.has(cassette),
  );
  return own === -1 ? takes.findIndex((take, at) => at >= from && take.print === print) : own;
}

async function readStanding(
  store: CassetteStore,
  provider: string,
  key: Recording["key"],
): Promise<StoredCall[]> {
  const standing: StoredCall[] = [];
  for (const { entry } of store.takes(provider, key)) {
    // Skips broken files, which `check` reports.
    const read = await store.read(entry).catch(handleTapedeckErrors(() => undefined));
    if (read !== undefined)
      standing.push({ entry, print: printOf(read.reply), cassettes: new Set(read.cassettes) });
  }
  return standing;
}

/** Returns a fingerprint that identifies a reply. It includes URLs for follow-up requests, but not request IDs. */
function printOf({ status, contentType, headers = [], body }: RecordedReply): string {
  const addresses = headers.filter(([name]) => isAddress(name));
  return JSON.stringify([status, contentType ?? "", addresses, computeSha256(body)]);
}
