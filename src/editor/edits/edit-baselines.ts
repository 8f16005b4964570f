import { stat } from "node:fs/promises";
import * as path from "node:path";
import { READ_LIMITS, readText } from "../../storage/folder/read-file.ts";
import type { Session } from "../session/session.ts";

/** What source files were when recordings were last used: an edit is what differs from that. */
export interface EditBaselines {
  /** A call used this recording now: for it these files are what they are on disk. */
  used(entry: string, files: Iterable<string>): void;
  /** Tests call from this file now: what is on disk is what they run. */
  called(file: string): void;
  /** The text of a file as it was for a recording, or undefined where nobody can say. */
  of(file: string, entry: string): Promise<string | undefined>;
  /** The same for the recordings that were not used since. */
  before(file: string): Promise<string | undefined>;
}

type Text = Promise<string | undefined>;

/** Clocks of file systems are coarse, and a test that is saved and run at once is still what ran. */
const COARSE_MS = 1_000;
/** A run makes many calls: a file is read again after so long. */
const FRESH_MS = 500;

/** Files are named relative to the session's folder, with "/". */
export function createBaselines(session: Session): EditBaselines {
  const first = new Map<string, Text>();
  /** By file, then by entry. */
  const later = new Map<string, Map<string, Text>>();
  const read = createReader(session.folder.uri.fsPath);

  /** In a fresh window: the text on disk, unless it was written after its tests were last seen. */
  async function readUnlessWritten(file: string): Text {
    const usedAt = session.state.lastUseIn(file);
    if (usedAt === undefined) return undefined;
    const stats = await stat(path.join(session.folder.uri.fsPath, file)).catch(() => undefined);
    return !stats || stats.mtimeMs > usedAt + COARSE_MS ? undefined : read(file);
  }
  async function before(file: string): Text {
    const known = first.get(file) ?? readUnlessWritten(file);
    first.set(file, known);
    const text = await known;
    // What is not known yet may be known later, once what is remembered was read.
    if (text === undefined && first.get(file) === known) first.delete(file);
    return text;
  }

  return {
    before,
    of: (file, entry) => later.get(file)?.get(entry) ?? before(file),
    called(file) {
      if (!first.has(file)) first.set(file, read(file));
    },
    used(entry, files) {
      for (const file of files) {
        const texts = later.get(file) ?? new Map<string, Text>();
        later.set(file, texts.set(entry, read(file)));
      }
    },
  };
}

function createReader(folder: string): (file: string) => Text {
  const texts = new Map<string, { readonly at: number; readonly text: Text }>();
  return (file) => {
    const known = texts.get(file);
    const now = Date.now();
    if (known && now - known.at < FRESH_MS) return known.text;
    const options = { most: READ_LIMITS.source, links: "followed" } as const;
    const text = readText(path.join(folder, file), options).catch(() => undefined);
    texts.set(file, { at: now, text });
    return text;
  };
}
