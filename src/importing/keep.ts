import type { Recording, RecordedReply } from "../core/cassette/recording.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import { isTapedeckError } from "../core/errors.ts";
import { sha256 } from "../storage/folder/sha256.ts";

/** Puts recordings into a store, each once however often it is imported. */
export interface Keeper {
  /** Another cassette begins: what it repeats counts from here. */
  begin(cassette: string): void;
  /** Adds a take, unless one with this reply stands after those that the cassette has had. */
  keep(recording: Recording): Promise<{ readonly entry: string; readonly isNew: boolean }>;
  /** Notes cassettes that share recordings in these. */
  finish(): Promise<void>;
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
  return {
    begin(next) {
      cassette = next;
      come = new Map();
    },
    async keep(recording) {
      const { provider, key, cassettes: owners = [] } = recording;
      const name = `${provider}\n${key}`;
      const takes = known.get(name) ?? (await readStanding(store, provider, key));
      known.set(name, takes);
      const print = printOf(recording.reply);
      const at = placeAmong(takes, { print, cassette, from: come.get(name) ?? 0 });
      const same = takes[at];
      come.set(name, (same === undefined ? takes.length : at) + 1);
      if (same === undefined) {
        const { entry } = await store.save(withCassettes(recording, owners));
        takes.push({ entry, print, cassettes: new Set(owners) });
        return { entry, isNew: true };
      }
      if (owners.some((owner) => !same.cassettes.has(owner))) shared.set(same.entry, same);
      for (const owner of owners) same.cassettes.add(owner);
      return { entry: same.entry, isNew: false };
    },
    async finish() {
      for (const { entry, cassettes } of shared.values()) {
        const since = store.standing?.(entry);
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
  await store.settle?.(provider, key);
  const standing: Standing[] = [];
  for (const { entry } of store.takes(provider, key)) {
    try {
      const { reply, cassettes } = await store.read(entry);
      standing.push({ entry, print: printOf(reply), cassettes: new Set(cassettes) });
    } catch (error) {
      // A broken file hides no other; `check` tells of it.
      if (!isTapedeckError(error)) throw error;
    }
  }
  return standing;
}

function printOf({ status, contentType, body }: RecordedReply): string {
  return `${status} ${contentType ?? ""} ${sha256(body)}`;
}
