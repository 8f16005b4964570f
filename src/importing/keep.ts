import type { Recording, RecordedReply } from "../core/cassette/recording.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import { whereOurs } from "../core/base/errors.ts";
import { isAddress } from "../core/protocol/kept-headers.ts";
import { sha256 } from "../storage/folder/sha256.ts";

/** Puts recordings into a store, each once however often it is imported. */
export interface Keeper {
  /** Another cassette begins: what it repeats counts from here. */
  begin(cassette: string): void;
  /**
   * Adds a take, unless one with this reply stands after those that the cassette has had. Several may be under way:
   * those of one key are kept in the order in which they came.
   */
  keep(recording: Recording): Promise<KeptRecording>;
  /** Notes cassettes that share recordings in these. To be called when nothing is under way any more. */
  finish(): Promise<void>;
}

interface KeptRecording {
  readonly entry: string;
  readonly isNew: boolean;
}

/** Where a recording came from: its key's name, its cassette, and how far that has come. */
interface Place {
  readonly name: string;
  readonly cassette: string;
  readonly come: Map<string, number>;
}

interface Standing {
  readonly entry: string;
  readonly print: string;
  readonly cassettes: Set<string>;
}

/**
 * Within a cassette, identical calls are takes in their order, also where their replies are the same. Between
 * cassettes, and with what was imported before, the same call with the same reply is one recording, which belongs to
 * each of them.
 */
export function createKeeper(store: CassetteStore): Keeper {
  const known = new Map<string, Standing[]>();
  const shared = new Map<string, Standing>();
  let cassette = "";
  /** How far the cassette has come among the takes of a key. */
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
      const { entry } = await store.save(withCassettes(recording, owners));
      takes.push({ entry, print, cassettes: new Set(owners) });
      return { entry, isNew: true };
    }
    if (owners.some((owner) => !same.cassettes.has(owner))) shared.set(same.entry, same);
    for (const owner of owners) same.cassettes.add(owner);
    return { entry: same.entry, isNew: false };
  };
  return {
    begin(next) {
      cassette = next;
      come = new Map();
    },
    keep(recording) {
      const name = `${recording.provider}\n${recording.key}`;
      const at = { name, cassette, come };
      const before = turns.get(name) ?? Promise.resolve();
      const kept = before.then(() => keepAmong(recording, at));
      turns.set(name, kept);
      return kept;
    },
    async finish() {
      for (const { entry, cassettes } of shared.values()) {
        const since = store.standing(entry);
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

/** Where the next take with this reply stands: one that is the cassette's already, else the first. -1 where none is. */
function placeAmong(
  takes: readonly Standing[],
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
): Promise<Standing[]> {
  const standing: Standing[] = [];
  for (const { entry } of store.takes(provider, key)) {
    // A broken file hides no other; `check` tells of it.
    const read = await store.read(entry).catch(whereOurs(() => undefined));
    if (read !== undefined)
      standing.push({ entry, print: printOf(read.reply), cassettes: new Set(read.cassettes) });
  }
  return standing;
}

/** What makes a reply another one: an address to go on with does, a request's id does not. */
function printOf({ status, contentType, headers = [], body }: RecordedReply): string {
  const addresses = headers.filter(([name]) => isAddress(name));
  return JSON.stringify([status, contentType ?? "", addresses, sha256(body)]);
}
