import type { Recording, RecordedReply } from "../core/cassette/recording.ts";
import type { CassetteStore } from "../core/cassette/store.ts";
import { isTapedeckError } from "../core/errors.ts";
import { sha256 } from "../storage/folder/sha256.ts";

/** Puts recordings into a store, each once however often it is imported. */
export interface Keeper {
  /** A new file begins: what it repeats counts from here. */
  begin(): void;
  /** Adds a take, unless one with this reply stands that the file has not had yet. */
  keep(recording: Recording): Promise<{ readonly entry: string; readonly isNew: boolean }>;
}

interface Standing {
  readonly entry: string;
  readonly print: string;
}

/**
 * Within a file, identical calls are takes in their order, also where their replies are the same. Between files, and
 * with what was imported before, the same call with the same reply is one recording.
 */
export function createKeeper(store: CassetteStore): Keeper {
  const known = new Map<string, Standing[]>();
  let had = new Set<string>();
  const standingOf = async ({ provider, key }: Recording): Promise<Standing[]> => {
    const name = `${provider}\n${key}`;
    const found = known.get(name) ?? (await readStanding(store, provider, key));
    known.set(name, found);
    return found;
  };
  return {
    begin: () => void (had = new Set()),
    async keep(recording) {
      const takes = await standingOf(recording);
      const print = printOf(recording.reply);
      const same = takes.find((take) => take.print === print && !had.has(take.entry));
      const entry = same?.entry ?? (await store.save(recording)).entry;
      if (same === undefined) takes.push({ entry, print });
      had.add(entry);
      return { entry, isNew: same === undefined };
    },
  };
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
      standing.push({ entry, print: printOf(await store.reply(entry)) });
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
