import { lstatSync, type Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { byAddress, entryReader, type NoEntry } from "../../core/cassette/address.ts";
import type { RecordingAddress } from "../../core/cassette/recording.ts";
import { GONE, orFailure, whereCode } from "./failures.ts";
import { signatureOf, stillStands, type Signature } from "./signature.ts";
import { isTemporary } from "./temporary.ts";

/** All that lies under `calls`, by names alone. */
export interface Survey {
  readonly addresses: readonly RecordingAddress[];
  /** What is none of them by its name or kind, sorted by path. Nothing is done to it. */
  readonly strays: readonly Stray[];
}

/** A file or folder that is in the way of nothing, but is not a recording either. */
export interface Stray {
  /** Relative to the cassette folder, "/" between segments. */
  readonly path: string;
  /** Why it is none, as a sentence about "it". */
  readonly reason: string;
}

/** What systems and git leave lying about on purpose. */
const HARMLESS = new Set([
  ".DS_Store",
  "Thumbs.db",
  "desktop.ini",
  ".gitkeep",
  ".gitignore",
  ".gitattributes",
]);

/**
 * Looks through a cassette folder as often as it is asked, and reads again only the folders of keys that changed since.
 * Reads no file. No folder is no recording. The same survey where all is as it was.
 * The function throws a TapedeckError where a folder cannot be read.
 */
export function createSurveyor(dir: string): () => Promise<Survey> {
  let known: ReadonlyMap<string, KeysFolder> = new Map();
  let last: Survey | undefined;

  return async () => {
    const found: SurveyContext = { dir, known, strays: [] };
    const seen = await inFolder(dir, found);
    const folders = seen.map(([, folder]) => folder);
    const isSame = found.strays.length === 0 && folders.every((folder) => folder.isAsBefore);
    const isWhole = folders.length === known.size;
    known = new Map(seen);
    if (last !== undefined && isSame && isWhole) return last;
    const strays = [...found.strays, ...folders.flatMap((folder) => folder.strays)];
    const survey = {
      addresses: folders.flatMap((folder) => folder.recordings).sort(byAddress),
      strays: strays.sort((a, b) => (a.path < b.path ? -1 : 1)),
    };
    last = survey;
    return survey;
  };
}

/** What lies among the recordings of a folder and is none. @throws TapedeckError where a folder cannot be read. */
export async function straysIn(dir: string): Promise<readonly Stray[]> {
  return (await createSurveyor(dir)()).strays;
}

function inFolder(dir: string, found: SurveyContext): Promise<KeysFolders> {
  return orFailure(dir, async () => ((await isFolder("calls", found)) ? visit("calls", found) : []));
}

/** In order, so that sorting the whole has next to nothing to do. */
type KeysFolders = readonly (readonly [path: string, folder: KeysFolder])[];

/** A folder where recordings lie, and what lay in it when its signature was taken. */
interface KeysFolder {
  readonly signature: Signature | undefined;
  readonly recordings: readonly RecordingAddress[];
  readonly strays: readonly Stray[];
  /** Whether it was taken over from the survey before. */
  readonly isAsBefore: boolean;
}

interface SurveyContext {
  readonly dir: string;
  readonly known: ReadonlyMap<string, KeysFolder>;
  readonly strays: Stray[];
}

/** `calls`, a provider's folder, a folder of keys: recordings lie in the last and folders in the others. */
async function visit(folder: string, found: SurveyContext): Promise<KeysFolders> {
  if (folder.split("/").length === 3) return [[folder, await keysFolder(folder, found)]];
  const names = await namesIn(join(found.dir, folder));
  const files = names.filter((child) => !child.isDirectory());
  found.strays.push(...sortNames(files, folder).strays);
  const folders = names.filter((child) => child.isDirectory()).map(({ name }) => `${folder}/${name}`);
  const seen = await Promise.all(folders.toSorted().map((path) => visit(path, found)));
  return seen.flat();
}

async function keysFolder(folder: string, { dir, known }: SurveyContext): Promise<KeysFolder> {
  const before = known.get(folder);
  const now = Date.now();
  const stats = lstatSync(join(dir, folder), { throwIfNoEntry: false });
  if (stats && before?.signature && stillStands(before.signature, stats))
    return before.isAsBefore ? before : { ...before, isAsBefore: true };
  const signature = stats && signatureOf(stats, now);
  return { signature, isAsBefore: false, ...sortNames(await namesIn(join(dir, folder)), folder) };
}

function sortNames(names: readonly Dirent[], folder: string): Pick<KeysFolder, "recordings" | "strays"> {
  const read = entryReader(folder);
  const recordings: RecordingAddress[] = [];
  const strays: Stray[] = [];
  for (const child of names) {
    const address = read(child.name);
    if (child.isFile() && !("wrong" in address)) recordings.push(address);
    else if (!(child.isFile() && isTemporary(child.name)) && !HARMLESS.has(child.name))
      strays.push({ path: `${folder}/${child.name}`, reason: reasonFor(child, address) });
  }
  return { recordings: recordings.sort(byAddress), strays };
}

function reasonFor(child: Dirent, address: RecordingAddress | NoEntry): string {
  if (child.isSymbolicLink()) return "it is a symbolic link, and none is followed here.";
  if (child.isDirectory()) return "it is a folder where recordings lie.";
  if (!child.isFile()) return "it is not a file.";
  return "wrong" in address ? address.wrong : "it is not a recording.";
}

async function isFolder(path: string, found: SurveyContext): Promise<boolean> {
  const stats = await lstat(join(found.dir, path)).catch(whereCode(GONE, undefined));
  if (stats === undefined) return false;
  if (stats.isDirectory()) return true;
  const what = stats.isSymbolicLink()
    ? "a symbolic link, and none is followed here"
    : "a file in the place of a folder";
  found.strays.push({ path, reason: `it is ${what}.` });
  return false;
}

/** None of a folder that was deleted since its name was read. */
function namesIn(path: string): Promise<readonly Dirent[]> {
  return readdir(path, { withFileTypes: true }).catch(whereCode(GONE, []));
}
