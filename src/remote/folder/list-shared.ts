import type { Dirent } from "node:fs";
import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { codeOf } from "../../storage/folder/failures.ts";
import { isTemporary } from "../../storage/folder/temporary.ts";
import { isObjectName } from "../remote-store.ts";
import { discardAbandoned, type SharedFolder } from "./shared-files.ts";

interface ListOptions {
  readonly prefix: string;
  /** Runs one step of it: with a time limit, and failures in the terms of a remote. */
  readonly step: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether what dead processes left behind is deleted on the way. */
  readonly tidies: boolean;
}

/** Names of the objects below a prefix, a folder of them at a time. Links are not followed. */
export async function* listShared(
  folder: SharedFolder,
  { prefix, step, tidies }: ListOptions,
): AsyncGenerator<readonly string[]> {
  const end = prefix.lastIndexOf("/") + 1;
  const waiting = [prefix.slice(0, end)];
  for (let inside = waiting.pop(); inside !== undefined; inside = waiting.pop()) {
    const path = inside;
    const found = await step(() => readFolder(join(folder.dir, path)));
    const matching = found.filter(({ name }) => `${path}${name}`.startsWith(prefix));
    const below = matching.filter((entry) => entry.isDirectory() && isObjectName(entry.name));
    waiting.push(...below.map(({ name }) => `${path}${name}/`));
    if (tidies)
      for (const { name } of found) if (isTemporary(name)) await step(() => tidy(folder, `${path}${name}`));
    const names = matching.filter((entry) => entry.isFile()).map(({ name }) => `${path}${name}`);
    const objects = names.filter(isObjectName);
    if (objects.length > 0) yield objects;
  }
}

async function readFolder(path: string): Promise<readonly Dirent[]> {
  const entries: Dirent[] = [];
  try {
    for await (const entry of await opendir(path)) entries.push(entry);
  } catch (error) {
    if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
  }
  return entries;
}

function tidy({ dir }: SharedFolder, inside: string): Promise<void> {
  return discardAbandoned(join(dir, inside), Date.now());
}
