import { statfsSync, statSync, type FSWatcher, type Stats } from "node:fs";
import { join, posix } from "node:path";
import { watchFolder } from "../watch/watch-folder.ts";

// Whether what was read still stands: a look tells by its signature, and a watched folder without a look.

/** What tells one state of a file or folder from the next without reading it. */
export interface Signature {
  readonly ino: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  /** False while a change could still happen within the same tick of the file system's clock. */
  readonly settled: boolean;
}

/** Of what stands at a path, or what a link there leads to; undefined where that is nothing, or may not be looked at. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Kernels stamp files with a clock that ticks every few milliseconds. */
const TICK_MS = 50;
/** FAT and some network file systems know whole (even) seconds only. */
const COARSE_TICK_MS = 2_100;

/** `stats` must have been taken before the content was read, `now` before `stats`. */
export function signatureOf(stats: Stats, now: number): Signature {
  const { ino, size, mtimeMs, ctimeMs } = stats;
  const coarse = mtimeMs % 1000 === 0;
  // An age below zero is a server whose clock is ahead: its stamps prove nothing either.
  const age = now - Math.max(mtimeMs, ctimeMs);
  return { ino, size, mtimeMs, ctimeMs, settled: age > (coarse ? COARSE_TICK_MS : TICK_MS) };
}

/** Whether what was read under `seen` still stands. The change time is looked at because anyone can set the other. */
export function stillStands(seen: Signature, stats: Stats): boolean {
  return seen.settled && sameState(seen, stats);
}

export function sameState(seen: Omit<Signature, "settled">, stats: Omit<Signature, "settled">): boolean {
  return (
    seen.ino === stats.ino &&
    seen.size === stats.size &&
    seen.mtimeMs === stats.mtimeMs &&
    seen.ctimeMs === stats.ctimeMs
  );
}

/** A folder whose files need no look for as long as it is watched and nothing in it changed. */
export interface WatchedFolder {
  /** Another number after each change in the folder that this process was told of, and from when it is watched. */
  readonly generation: number;
  /** Whether the system would tell of a change. */
  readonly isWatched: boolean;
}

/** What a folder's files have to be seen since; undefined where nobody would tell of a change. To be asked before a look. */
export function generationOf(folder: WatchedFolder): number | undefined {
  return folder.isWatched ? folder.generation : undefined;
}

/** Whether nothing changed in a folder since it was of this generation; of none it is not known. */
export function isUnchangedSince(folder: WatchedFolder, generation: number | undefined): boolean {
  return folder.isWatched && folder.generation === generation;
}

export interface UnchangedFolders {
  /** The folder `inside` the cassette folder. */
  at(inside: string): WatchedFolder;
  /** Says that a reply in it was given once more: where that is so often, it is watched from now on. */
  repeated(inside: string): void;
  /**
   * Resolves once every change that was made before is known here; undefined where nothing is watched. Nobody tells when
   * a folder above the cassette folder is moved, or when it is a link that leads elsewhere by now: it is looked at, once
   * for all that wait together.
   */
  caughtUp(): Promise<void> | undefined;
  /** Says that another folder stands at the path by now. */
  replaced(inside: string): void;
  close(): void;
}

interface Watched extends WatchedFolder {
  generation: number;
  isWatched: boolean;
  repeats: number;
}

/** A watcher costs more than some looks at files: a suite that makes each call once or twice has none. */
const WORTH_A_WATCHER = 32;
/** Per store. The system has one limit for all programs of a user. */
const MAX_WATCHERS = 2_048;

/** Knows of folders inside `dir` whether anything in them changed. Never throws and keeps no process alive. */
export function createUnchangedFolders(dir: string): UnchangedFolders {
  const folders = new Map<string, Watched>();
  const watchers = new Map<string, FSWatcher>();
  const root = createRoot(dir);
  const noteChange = (inside: string, what?: Partial<Watched>): void => {
    const folder = folders.get(inside);
    if (folder !== undefined) Object.assign(folder, { generation: folder.generation + 1 }, what);
  };

  const end = (inside: string): void => {
    watchers.get(inside)?.close();
    watchers.delete(inside);
    noteChange(inside, { isWatched: false, repeats: 0 });
  };
  const endAllIn = (above: string): void => {
    const under = above === "" ? "" : `${above}/`;
    for (const inside of [...folders.keys(), ...watchers.keys()])
      if (inside === above || inside.startsWith(under)) end(inside);
  };
  const isWatching = (inside: string): boolean => {
    if (watchers.has(inside) || watchers.size >= MAX_WATCHERS) return watchers.has(inside);
    if (inside === "") root.remember(); // before it is watched: what takes its place later is another one
    const [heard, ended] = [() => noteChange(inside), () => endAllIn(inside)];
    try {
      watchers.set(inside, watchFolder(join(dir, inside), heard, ended));
      return true;
    } catch {
      return false;
    }
  };

  const at = (inside: string): Watched => {
    let folder = folders.get(inside);
    if (folder === undefined) folders.set(inside, (folder = { generation: 0, isWatched: false, repeats: 0 }));
    return folder;
  };
  const atNextTurn = onceATurn(() => {
    if (!root.isSame()) endAllIn("");
  });

  return {
    at,
    repeated(inside) {
      const folder = at(inside);
      if (folder.isWatched || ++folder.repeats !== WORTH_A_WATCHER) return;
      const isWatched = tellsOfEveryChange(join(dir, inside)) && lineOf(inside).every(isWatching);
      // Nobody told of what changed until now: no look of before it counts.
      noteChange(inside, { isWatched });
    },
    caughtUp: () => (watchers.size === 0 ? undefined : atNextTurn()),
    replaced: end,
    close: () => endAllIn(""),
  };
}

/**
 * Resolves when the event loop has asked the system once more for what happened: then every change that was made
 * before the call of this function has been told of by its watcher. All callers of a turn share one promise.
 */
function nextTurn(): Promise<void> {
  pending ??= new Promise((resolve) => {
    // The first may run before the system is asked, the second cannot.
    setImmediate(() => {
      pending = undefined;
      setImmediate(resolve);
    });
  });
  return pending;
}

let pending: Promise<void> | undefined;

/** Resolves at the end of the turn, when `look` was done once for all that ask in it. */
function onceATurn(look: () => void): () => Promise<void> {
  let last: { readonly turn: Promise<void>; readonly looked: Promise<void> } | undefined;
  return () => {
    const turn = nextTurn();
    if (last?.turn !== turn) last = { turn, looked: turn.then(look) };
    return last.looked;
  };
}

/** A folder inside and all above it up to the cassette folder itself, which is "". */
function lineOf(inside: string): readonly string[] {
  return inside === "." || inside === "" ? [""] : [...lineOf(posix.dirname(inside)), inside];
}

/** What stands at the path of a cassette folder. */
function createRoot(dir: string): {
  readonly remember: () => void;
  /** Whether it is what was remembered. */
  readonly isSame: () => boolean;
} {
  let remembered: Stats | undefined;
  return {
    remember: () => void (remembered = statsOf(dir)),
    isSame() {
      const now = statsOf(dir);
      return now?.ino === remembered?.ino && now?.dev === remembered?.dev;
    },
  };
}

/** ext2 to ext4, XFS, Btrfs, tmpfs. Elsewhere (networks, layers, folders of a host) others can change what no watcher here sees. */
const LOCAL_FILE_SYSTEMS = new Set([0xef53, 0x58465342, 0x9123683e, 0x01021994]);

function tellsOfEveryChange(path: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    return LOCAL_FILE_SYSTEMS.has(statfsSync(path).type);
  } catch {
    return false;
  }
}
