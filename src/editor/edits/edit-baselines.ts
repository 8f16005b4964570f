import { readFile, stat } from "node:fs/promises";
import * as path from "node:path";
import type { Session } from "../session.ts";

/** What source files were when their tests last ran: an edit is what differs from that. */
export interface EditBaselines {
  /** Tests call from this file now: what is on disk is what they run. */
  called(file: string): void;
  /** The text, or undefined where nobody can say. */
  of(file: string): Promise<string | undefined>;
}

/** Clocks of file systems are coarse, and a test that is saved and run at once is still what ran. */
const COARSE_MS = 1_000;

/** Files are named relative to the session's folder, with "/". */
export function createBaselines(session: Session): EditBaselines {
  const texts = new Map<string, Promise<string | undefined>>();
  const onDisk = (file: string): string => path.join(session.folder.uri.fsPath, file);

  /** In a fresh window: the text on disk, unless it was written after its tests were last seen. */
  async function remembered(file: string): Promise<string | undefined> {
    const usedAt = session.state.lastUseIn(file);
    if (usedAt === undefined) return undefined;
    const stats = await stat(onDisk(file)).catch(() => undefined);
    if (!stats || stats.mtimeMs > usedAt + COARSE_MS) return undefined;
    return read(onDisk(file));
  }

  return {
    called: (file) => void texts.set(file, read(onDisk(file))),
    async of(file) {
      const known = texts.get(file) ?? remembered(file);
      texts.set(file, known);
      const text = await known;
      // What is not known yet may be known later, once what is remembered was read.
      if (text === undefined) texts.delete(file);
      return text;
    },
  };
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}
