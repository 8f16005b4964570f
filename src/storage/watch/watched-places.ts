import { readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readEntry } from "../../core/cassette/address.ts";
import { isTemporary } from "../folder/durable-write.ts";

/** A folder to watch, and what the names in it mean. */
export interface WatchedPlace {
  readonly path: string;
  readonly ino: number;
  /** Relative to the cassette folder, for those that hold recordings. */
  readonly holds?: string;
  /** The only name that matters in it, for those above `calls`. */
  readonly awaits?: string;
}

/** The meaning of an event: read everything again, list the folders again, one entry, or nothing. */
export type Meaning = "stale" | "scan" | { readonly entry: string } | undefined;

export function interpretChange(place: WatchedPlace, name: string | null): Meaning {
  if (place.awaits !== undefined) return name === null || name === place.awaits ? "scan" : undefined;
  if (place.holds === undefined) return "scan";
  if (name === null) return "stale";
  if (isTemporary(name)) return undefined;
  const entry = `${place.holds}/${name}`;
  return "wrong" in readEntry(entry) ? "scan" : { entry };
}

/** Returns all folders to watch, outermost first, except those that cannot be read. */
export function listWatchedFolders(dir: string): readonly WatchedPlace[] {
  const above = placeAbove(dir);
  const root = folderAt(dir);
  if (root === undefined) return above;
  const calls = foldersIn(dir).find(({ path }) => path === join(dir, "calls"));
  const top = [...above, { ...root, awaits: "calls" }];
  if (calls === undefined) return top;
  const providers = foldersIn(calls.path);
  const leaves = providers.flatMap(({ path: provider }) =>
    foldersIn(provider).map(({ path, ino }) => ({
      path,
      ino,
      holds: `calls/${basename(provider)}/${basename(path)}`,
    })),
  );
  return [...top, calls, ...providers, ...leaves];
}

/** The nearest folder above that exists: there the cassette folder, or what leads to it, will appear. */
function placeAbove(dir: string): readonly WatchedPlace[] {
  const parent = dirname(dir);
  if (parent === dir) return [];
  const found = folderAt(parent);
  return found === undefined ? placeAbove(parent) : [{ ...found, awaits: basename(dir) }];
}

/** A folder or a link to one. */
function folderAt(path: string): WatchedPlace | undefined {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isDirectory() === true ? { path, ino: stats.ino } : undefined;
  } catch {
    return undefined;
  }
}

/** Links are not followed inside a cassette folder. */
function foldersIn(path: string): readonly WatchedPlace[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter((child) => child.isDirectory())
      .flatMap((child) => folderAt(join(path, child.name)) ?? []);
  } catch {
    return [];
  }
}
