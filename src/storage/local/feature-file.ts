import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Key } from "../../core/call.ts";
import {
  decodeNotes,
  encodeNotes,
  type NotedFeatures,
  type NotedRequest,
} from "../../core/match/nearest/feature-notes.ts";
import { localFolder, localPath, mayReadLocal } from "./local-state.ts";
import { readBytes } from "../folder/read-file.ts";
import { createTakeTurns } from "../folder/take-turns.ts";
import { replaceWhole } from "../folder/temporary.ts";

const NAME = "nearest.bin";

/** Notes on the recorded requests of a cassette folder, kept on this machine: the first miss need not read them all. */
export function featureFile(dir: string, takeTurns = createTakeTurns()): NotedFeatures {
  return {
    async read() {
      const notes = new Map<Key, NotedRequest>();
      if (!mayReadLocal(dir)) return notes;
      try {
        for (const [key, noted] of decodeNotes(await readBytes(join(dir, localPath(NAME))))) {
          notes.set(key, noted);
          const turn = takeTurns();
          if (turn) await turn;
        }
      } catch {
        // What cannot be read is not noted: those recordings are read.
      }
      return notes;
    },
    async write(notes) {
      // Where there is no cassette folder, nothing is recorded: there is nothing to make one for.
      if (!existsSync(dir)) return;
      try {
        const folder = await localFolder(dir);
        await replaceWhole(join(folder, NAME), encodeNotes(notes));
      } catch {
        // A folder that cannot be written to: all is read again next time.
      }
    },
  };
}
