import type { ReadyReply } from "../core/cassette/ready-reply.ts";
import type { RecordingAddress } from "../core/cassette/recording.ts";
import type { KnownTakes } from "../core/cassette/store.ts";
import type { Key } from "../core/exchange.ts";
import { isCurrent, isQuiet, type FolderIndex, type FoundTakes, type SeenFolder } from "./folder-index.ts";
import type { NormalisedMark } from "./normalised-mark.ts";
import type { Changes } from "./quiet-folders.ts";
import type { RecordingReader } from "./recording-reader.ts";
import type { Holder } from "./reply-cache.ts";

/** The takes of a key as they are on disk now, to be kept for the next call of this key; undefined where there are none. */
export function createTakesFinder(
  index: Pick<FolderIndex, "find">,
  parts: TakesParts,
): (provider: string, key: Key) => KnownTakes | undefined {
  return (provider, key) => {
    const found = index.find(provider, key);
    return found && new FolderTakes(found, parts);
  };
}

/** What tells whether takes still hold, and reads them. */
interface TakesParts {
  readonly reader: Pick<RecordingReader, "hold" | "used">;
  readonly normalised: Pick<NormalisedMark, "isThere">;
  readonly changes: Changes;
}

/**
 * Takes in a folder, for who remembers them. Among many recordings each look-up, and each object more, is memory that
 * was not touched for long: a class, because all that a repeated call asks for is then in one place, the folder's state
 * with it for as long as nobody hears of a change.
 */
class FolderTakes implements KnownTakes, Holder {
  readonly count: number;
  /** That of the last one asked for, where it is quiet. */
  reply: ReadyReply | undefined;
  /** How many changes there were when its folder and that reply were quiet. */
  #quietAsOf = NEVER;
  #index = 0;
  #entry: string;
  readonly #parts: TakesParts;
  readonly #folder: SeenFolder;
  readonly #takes: readonly RecordingAddress[];

  constructor({ takes, folder }: FoundTakes, parts: TakesParts) {
    this.count = takes.length;
    this.#entry = takes[0]?.entry ?? "";
    this.#parts = parts;
    this.#folder = folder;
    this.#takes = takes;
  }

  /** Names that may mislead have to be looked into, which is not done here. */
  hold(): boolean {
    const { normalised, changes } = this.#parts;
    if (normalised.isThere()) return false;
    return this.#quietAsOf === changes.count || isCurrent(this.#folder);
  }

  entry(index: number): string {
    if (index !== this.#index) {
      this.#index = index;
      this.#entry = this.#takes[index]?.entry ?? "";
      this.reply = undefined;
    }
    return this.#entry;
  }

  quiet(index: number): ReadyReply | undefined {
    const { reader, changes } = this.#parts;
    const entry = this.entry(index);
    if (this.reply !== undefined && this.#quietAsOf === changes.count) {
      reader.used(entry);
    } else {
      reader.hold(entry, this);
      this.#quietAsOf = isQuiet(this.#folder) ? changes.count : NEVER;
    }
    return this.reply;
  }
}

const NEVER = -1;
