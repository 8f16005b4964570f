import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { readBytesNow } from "../folder/read-file.ts";
import { replaceWhole } from "../folder/durable-write.ts";
import { localFolder, localPath, mayReadLocal } from "./local-state.ts";

const NAME = "facts.jsonl";
/** Lines that are appended at once. */
const MOST_UNWRITTEN = 256;

/** The last line of each entry. */
export interface FactsFile {
  readonly lines: ReadonlyMap<string, string>;
  /** Reads the file if it changed. */
  refresh(): void;
  put(entry: string, line: string): void;
  flush(): Promise<void>;
}

export function createFactsFile(dir: string, isThere: (entry: string) => boolean): FactsFile {
  const path = join(dir, localPath(NAME));
  const lines = new Map<string, string>();
  const unwritten = new Map<string, string>();
  /** The file as it was read or written last. */
  let known: string | undefined;
  let inFile = 0;
  let writing: Promise<void> = Promise.resolve();

  const refresh = (): void => {
    const now = mayReadLocal(dir) ? identityOf(path) : "";
    if (now === known) return;
    known = now;
    inFile = 0;
    for (const line of textAt(path).split("\n")) {
      const entry = entryIn(line);
      if (entry === undefined) continue;
      inFile += 1;
      lines.set(entry, line);
    }
    for (const [entry, line] of unwritten) lines.set(entry, line);
  };
  const write = async (): Promise<void> => {
    // Where there is no cassette folder, nothing is recorded.
    if (unwritten.size === 0 || !existsSync(dir)) return;
    try {
      refresh();
      const added = [...unwritten.values()];
      unwritten.clear();
      await localFolder(dir);
      const isLong = inFile + added.length > 2 * lines.size + MOST_UNWRITTEN;
      const isAsKnown = known === identityOf(path);
      if (isLong) {
        for (const entry of lines.keys()) if (!isThere(entry)) lines.delete(entry);
        await replaceWhole(path, joinLines(lines.values()));
      } else appendTo(path, joinLines(added));
      inFile = isLong ? lines.size : inFile + added.length;
      if (isLong || isAsKnown) known = identityOf(path);
    } catch {
      // In a folder that cannot be written to, the facts are read again next time.
    }
  };
  const flush = (): Promise<void> => (writing = writing.then(write));
  return {
    lines,
    refresh,
    put(entry, line) {
      lines.set(entry, line);
      unwritten.set(entry, line);
      if (unwritten.size === MOST_UNWRITTEN) void flush();
    },
    flush,
  };
}

/** Changes with the meaning of any column. Lines of another format are not used. */
export const FACTS_FORMAT = 1;
const BEGINNING = `[${FACTS_FORMAT},"`;

function entryIn(line: string): string | undefined {
  return line.startsWith(BEGINNING)
    ? line.slice(BEGINNING.length, line.indexOf('"', BEGINNING.length))
    : undefined;
}

function identityOf(path: string): string {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.ino}:${stats.size}`;
}

function textAt(path: string): string {
  try {
    return readBytesNow(path).toString("utf8");
  } catch {
    return "";
  }
}

/** Begins with a line end, in case that another process was killed in the middle of a line. */
const joinLines = (lines: Iterable<string>): string => `\n${[...lines].join("\n")}\n`;

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Appends in one write, so that lines of several processes stay whole. Nothing is written through a link. */
function appendTo(path: string, text: string): void {
  const file = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (fstatSync(file).isFile()) writeSync(file, text);
  } finally {
    closeSync(file);
  }
}
