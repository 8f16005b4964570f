import type { ReadyReply } from "../../core/cassette/ready-reply.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { areWithoutGaps } from "../../core/cassette/take-numbers.ts";
import { NOT_QUIET, type KnownTakes, type TakesMemory } from "../../core/cassette/store.ts";
import type { Key } from "../../core/call.ts";
import {
  isCurrent,
  isQuiet,
  type FolderIndex,
  type FoundTakes,
  type SeenFolder,
} from "../folder/folder-index.ts";
import type { NamedByRules } from "../keys/named-by-rules.ts";
import type { Changes } from "./quiet-folders.ts";
import type { RecordingReader } from "../folder/recording-reader.ts";

/** The takes of a key as they are on disk now, to be kept for the next call of this key; undefined where there are none, or not all up to the last. */
export function createTakesFinder(
  index: Pick<FolderIndex, "find">,
  parts: TakesParts,
): (provider: string, key: Key) => KnownTakes | undefined {
  return (provider, key) => {
    const found = index.find(provider, key);
    return found && areWithoutGaps(found.takes, key) ? new FolderTakes(found, parts) : undefined;
  };
}

/** What tells whether takes still hold, and reads them. */
interface TakesParts {
  readonly reader: Pick<RecordingReader, "hold" | "hasRoom">;
  readonly namedByRules: Pick<NamedByRules, "isThere">;
  readonly changes: Changes;
}

/** Takes in a folder, for who remembers them. */
class FolderTakes implements KnownTakes {
  readonly count: number;
  readonly #parts: TakesParts;
  readonly #folder: SeenFolder;
  readonly #takes: readonly RecordingAddress[];

  constructor({ takes, folder }: FoundTakes, parts: TakesParts) {
    this.count = takes.length;
    this.#parts = parts;
    this.#folder = folder;
    this.#takes = takes;
  }

  /** Names that may mislead have to be looked into, which is not done here. */
  hold(): boolean {
    return !this.#parts.namedByRules.isThere() && isCurrent(this.#folder);
  }

  entry(index: number): string {
    return this.#takes[index]?.entry ?? "";
  }

  quiet(index: number, memory: TakesMemory): ReadyReply | undefined {
    const { reader, changes } = this.#parts;
    reader.hold(this.entry(index), memory);
    const lasts = this.count === 1 && isQuiet(this.#folder) && reader.hasRoom();
    memory.quietAsOf = lasts ? changes.count : NOT_QUIET;
    return memory.reply;
  }
}
