import type { ReadyReply } from "../core/cassette/ready-reply.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { KnownTakes } from "../core/cassette/store.ts";
import type { Key } from "../core/exchange.ts";
import type { FolderIndex, FoundTakes, SeenFolder } from "./folder-index.ts";
import type { NormalisedMark } from "./normalised-mark.ts";
import type { RecordingReader } from "./recording-reader.ts";
import type { LookedAt } from "./reply-cache.ts";

/** The takes of a key as they are on disk now, to be kept for the next call of this key; undefined where there are none. */
export function createTakesFinder(
  index: FolderIndex,
  parts: Omit<TakesParts, "index">,
): (provider: string, key: Key) => KnownTakes | undefined {
  const all = { index, ...parts };
  return (provider, key) => {
    const found = index.find(provider, key);
    return found && new FolderTakes(found, all);
  };
}

/** What tells whether takes still hold, and reads them. */
interface TakesParts {
  readonly index: Pick<FolderIndex, "isCurrent">;
  readonly reader: Pick<RecordingReader, "quiet" | "isStillQuiet">;
  readonly normalised: Pick<NormalisedMark, "isThere">;
}

/**
 * Takes in a folder, for who remembers them. Among many recordings each look-up, and each object more, is memory that
 * was not touched for long: a class, because all that a repeated call asks for is then in one place.
 */
class FolderTakes implements KnownTakes {
  readonly count: number;
  readonly #folder: SeenFolder;
  readonly #parts: TakesParts;
  readonly #takes: readonly RecordingAddress[];
  /** The last one asked for, and its reply where that is quiet. */
  #index = 0;
  #entry: string;
  #reply: LookedAt | undefined;

  constructor({ takes, folder }: FoundTakes, parts: TakesParts) {
    this.count = takes.length;
    this.#folder = folder;
    this.#parts = parts;
    this.#takes = takes;
    this.#entry = takes[0]?.entry ?? "";
  }

  /** Names that may mislead have to be looked into, which is not done here. */
  hold(): boolean {
    const { index, normalised } = this.#parts;
    return index.isCurrent(this.#folder) && !normalised.isThere();
  }

  entry(index: number): string {
    if (index !== this.#index) {
      this.#index = index;
      this.#entry = this.#takes[index]?.entry ?? "";
      this.#reply = undefined;
    }
    return this.#entry;
  }

  quiet(index: number): ReadyReply | undefined {
    const { reader } = this.#parts;
    const entry = this.entry(index);
    if (this.#reply === undefined || !reader.isStillQuiet(this.#reply)) this.#reply = reader.quiet(entry);
    return this.#reply?.reply;
  }
}
