import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { handleTapedeckErrors, type TapedeckError } from "../../core/base/errors.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import type { CassetteStore } from "../../core/cassette/store.ts";
import type { ProviderTable } from "../../core/protocol/registry.ts";
import type { RecordingFacts } from "../../core/view/recording-facts.ts";
import type { FileStamp } from "../folder/recording-reader.ts";
import type { Project } from "./project-file.ts";
import { LOCAL, openLocalFolder, getLocalPath } from "./local-state.ts";
import { replaceWhole } from "../folder/durable-write.ts";
import { isWithoutLinks, readBytesNow } from "../folder/read-file.ts";

/** A recording with its facts, or the reason why it cannot be read. */
export interface FoundFacts extends FactsOrFailure {
  readonly address: RecordingAddress;
  /** Undefined if the file is gone. */
  readonly stamp: FileStamp | undefined;
}

interface FactsOrFailure {
  readonly facts?: RecordingFacts;
  readonly broken?: TapedeckError;
}

type ReadingStore = Pick<CassetteStore, "read">;

export interface FactsTableParts {
  readonly dir: string;
  /** Folders that may contain an entry: `dir`, and that of the team's recordings. */
  readonly folders: readonly string[];
  readonly providers: ProviderTable;
  readonly project: { readonly current: Pick<Project, "rules"> };
}

interface Row {
  readonly stamp: FileStamp;
  /** The rules under which the key was verified. */
  readonly rules?: string | undefined;
  readonly facts?: RecordingFacts | undefined;
}

export type FactsTable = ReturnType<typeof createFactsTable>;

/**
 * Facts about the recordings of a cassette folder, kept on this machine in `.local/facts.jsonl`. A row counts only
 * while its file has the size and times that were noted, so a missing, old, or damaged table costs time and is never an
 * error. Processes append whole lines; a line that is lost is read from its recording again.
 */
export function createFactsTable(parts: FactsTableParts) {
  const { project, folders } = parts;
  const rows = createRows(parts);
  const readFile = createFileReader(parts);
  /** The row of a file, if it was noted in its present state. */
  const notedRow = (entry: string, stamp: FileStamp | undefined): Row | undefined => {
    const row = rows.get(entry);
    return row !== undefined && isSameFile(row.stamp, stamp) ? row : undefined;
  };
  const noteVerified = (entry: string, stamp: FileStamp): void =>
    rows.put(entry, { ...notedRow(entry, stamp), stamp, rules: project.current.rules });
  const readNoted = (address: RecordingAddress): FoundFacts | undefined => {
    const row = rows.get(address.entry);
    const stamp = row && stampOf(address.entry, folders);
    return row?.facts && isSameFile(row.stamp, stamp) ? { address, stamp, facts: row.facts } : undefined;
  };
  const noteFacts = ({ address: { entry }, stamp, facts }: FoundFacts): void => {
    if (stamp !== undefined && facts !== undefined)
      rows.put(entry, { ...notedRow(entry, stamp), stamp, facts });
  };
  return {
    isVerified(entry: string, stamp: FileStamp): boolean {
      const row = rows.get(entry);
      if (row === undefined) noteVerified(entry, stamp);
      return row === undefined || (row.rules === project.current.rules && isSameFile(row.stamp, stamp));
    },
    noteVerified,
    /**
     * Notes that a recording was just written under its key. Its facts are read when they are needed: reading them here
     * would add 0.1 to 0.2 ms to each recorded call, and most runs are not followed by a list.
     */
    noteWritten(entry: string): void {
      const stamp = stampOf(entry, folders);
      if (stamp !== undefined) rows.put(entry, { stamp, rules: project.current.rules });
    },
    /** Returns the facts of these recordings as they are on disk now, in their order. */
    async *read(store: ReadingStore, addresses: readonly RecordingAddress[]): AsyncGenerator<FoundFacts> {
      rows.refresh();
      for (const address of addresses) {
        const noted = readNoted(address);
        if (noted !== undefined) {
          yield noted;
          continue;
        }
        const found = await readFile(store, address);
        noteFacts(found);
        yield found;
      }
    },
    /** Writes what was noted. Never rejects. */
    flush: rows.flush,
  };
}

/** Returns the function that reads facts from the file of a recording. Its code is loaded when the first file is read. */
function createFileReader({ folders, providers }: FactsTableParts) {
  const loadReaders = () => import("../folder/written-facts.ts");
  let readers: Awaited<ReturnType<typeof loadReaders>> | undefined;
  return async (store: ReadingStore, address: RecordingAddress): Promise<FoundFacts> => {
    const { readFacts, readFactsIn } = (readers ??= await loadReaders());
    const { stats, facts } = readFactsIn(folders, address, providers) ?? {};
    const stamp = stats ?? stampOf(address.entry, folders);
    const found = facts
      ? { facts }
      : await store.read(address.entry).then(
          (recording) => ({ facts: readFacts(recording, providers) }),
          handleTapedeckErrors((broken) => ({ broken })),
        );
    return { address, stamp, ...found };
  };
}

const NAME = "facts.jsonl";
/** Lines that are appended at once. */
const MOST_UNWRITTEN = 1_024;

/** The rows of a table. Lines are parsed when they are needed. */
function createRows({ dir, folders }: FactsTableParts) {
  const path = join(dir, getLocalPath(NAME));
  const lines = new Map<string, string>();
  const unwritten = new Map<string, string>();
  /** Identifies the file as it was last read or written; undefined before it is read. */
  let known: string | undefined;
  let inFile = 0;
  let writing: Promise<void> = Promise.resolve();

  const refresh = (): void => {
    const now = isWithoutLinks(dir, LOCAL) ? identityOf(path) : "";
    if (now === known) return;
    known = now;
    inFile = readLines(path, lines);
    for (const [entry, line] of unwritten) lines.set(entry, line);
  };
  const write = async (): Promise<void> => {
    // Without a cassette folder, nothing is recorded.
    if (unwritten.size === 0 || !existsSync(dir)) return;
    try {
      refresh();
      const added = [...unwritten.values()];
      unwritten.clear();
      await openLocalFolder(dir);
      const isLong = inFile + added.length > 2 * lines.size + MOST_UNWRITTEN;
      const isAsKnown = known === identityOf(path);
      if (isLong) {
        for (const entry of lines.keys()) if (stampOf(entry, folders) === undefined) lines.delete(entry);
        await replaceWhole(path, joinLines(lines.values()));
      } else appendTo(path, joinLines(added));
      inFile = isLong ? lines.size : inFile + added.length;
      if (isLong || isAsKnown) known = identityOf(path);
    } catch {
      // If the folder cannot be written to, facts are read from the recordings each time.
    }
  };
  const flush = (): Promise<void> => (writing = writing.then(write));
  return {
    get(entry: string): Row | undefined {
      if (known === undefined) refresh();
      const line = lines.get(entry);
      return line === undefined ? undefined : rowFrom(line);
    },
    put(entry: string, row: Row): void {
      const line = lineOf(entry, row);
      lines.set(entry, line);
      unwritten.set(entry, line);
      if (unwritten.size === MOST_UNWRITTEN) void flush();
    },
    /** Reads the file if it changed. */
    refresh,
    flush,
  };
}

function stampOf(entry: string, folders: readonly string[]): FileStamp | undefined {
  for (const folder of folders) {
    const stats = lstatSync(join(folder, entry), { throwIfNoEntry: false });
    if (stats !== undefined) return stats;
  }
  return undefined;
}

const isSameFile = (one: FileStamp, other: FileStamp | undefined): boolean =>
  one.size === other?.size && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs;

function lineOf(entry: string, { stamp, rules, facts }: Row): string {
  const { size, mtimeMs, ctimeMs } = stamp;
  return JSON.stringify([FACTS_FORMAT, entry, size, mtimeMs, ctimeMs, rules, facts]);
}

type StoredRow = readonly [
  format: number,
  entry: string,
  size: number,
  mtimeMs: number,
  ctimeMs: number,
  rules: string | null,
  facts: RecordingFacts | null,
];

function rowFrom(line: string): Row | undefined {
  try {
    const [, , size, mtimeMs, ctimeMs, rules, facts] = JSON.parse(line) as StoredRow;
    return {
      stamp: { size, mtimeMs, ctimeMs },
      rules: rules ?? undefined,
      facts: facts ?? undefined,
    };
  } catch {
    return undefined;
  }
}

/** Reads the lines of a file by entry, the last line of each. Returns the number of lines. */
function readLines(path: string, lines: Map<string, string>): number {
  let count = 0;
  for (const line of textAt(path).split("\n")) {
    const entry = entryIn(line);
    if (entry === undefined) continue;
    count += 1;
    lines.set(entry, line);
  }
  return count;
}

/** The version of the columns. Lines of other versions are ignored. */
const FACTS_FORMAT = 2;
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

/** Starts with a line break, in case another process was killed in the middle of a line. */
const joinLines = (lines: Iterable<string>): string => `\n${[...lines].join("\n")}\n`;

const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;

/** Appends with one write, so that lines of several processes stay whole. Never writes through a link. */
function appendTo(path: string, text: string): void {
  const file = openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    if (fstatSync(file).isFile()) writeSync(file, text);
  } finally {
    closeSync(file);
  }
}
