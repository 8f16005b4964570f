import { existsSync, lstatSync } from "node:fs";
import { listOf } from "../../core/protocol/reading/lenient.ts";
import { isKey } from "../../core/cassette/address.ts";
import type { Key } from "../../core/call.ts";
import { readLocal, writeLocal } from "../local/local-state.ts";
import { sha256 } from "../folder/sha256.ts";
import { signatureOf } from "../folder/unchanged.ts";

/** The key of a recording, as it was found in a state of its file. */
export interface NotedKey {
  /** As `KeyNotes.stateOf` gives it. */
  readonly state: string;
  readonly key: Key;
  readonly firstAt: string;
}

/** Keys under the rules of a project, kept for other processes. What is lost of them is only time. */
export interface KeyNotes {
  /** By entry; empty where there are none that can be used. Never throws. */
  read(): Promise<ReadonlyMap<string, NotedKey>>;
  /** Never throws. */
  write(notes: ReadonlyMap<string, NotedKey>): Promise<void>;
  /**
   * A text that is another one whenever the recording's file is. Undefined where nothing tells, e.g. of a file that was
   * written a moment ago. Nothing is read.
   */
  stateOf(entry: string): string | undefined;
}

const NAME = "keys";
/** Another number when keys are computed otherwise: notes of before are of no use then. */
const VERSION = 3;

/** Notes in a cassette folder's part of this machine, of use under the very same rules only. */
export function keyFile(dir: string, under: unknown): KeyNotes {
  const rulesOfNow = sha256(JSON.stringify([VERSION, under]));
  return {
    async read() {
      const [rules, rows] = listOf(await readLocal(dir, NAME));
      return rules === rulesOfNow ? readRows(rows) : new Map();
    },
    async write(notes) {
      if (!existsSync(dir)) return;
      const rows = Array.from(notes, ([entry, { state, key, firstAt }]) => [entry, state, key, firstAt]);
      // A folder that cannot be written to: all is read again next time.
      await writeLocal(dir, NAME, [rulesOfNow, rows]).catch(() => undefined);
    },
    stateOf(entry) {
      const now = Date.now();
      const stats = lstatSync(`${dir}/${entry}`, { throwIfNoEntry: false });
      if (stats?.isFile() !== true) return undefined;
      const { ino, size, mtimeMs, ctimeMs, settled } = signatureOf(stats, now);
      return settled ? `${ino} ${size} ${mtimeMs} ${ctimeMs}` : undefined;
    },
  };
}

function readRows(rows: unknown): ReadonlyMap<string, NotedKey> {
  const notes = new Map<string, NotedKey>();
  for (const row of listOf(rows)) {
    const [entry, state, key, firstAt] = listOf(row);
    if (typeof entry !== "string" || typeof state !== "string" || typeof firstAt !== "string") continue;
    if (isKey(key)) notes.set(entry, { state, key, firstAt });
  }
  return notes;
}
