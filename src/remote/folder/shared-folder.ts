import { opendir, stat } from "node:fs/promises";
import { codeOf } from "../../storage/folder/failures.ts";
import type { FolderAddress } from "../address/remote-address.ts";
import { readOnly, isFull, notReached, objectFailure, remoteFailure } from "../failures.ts";
import { createPatience, type Patience } from "../patience.ts";
import {
  expectName,
  expectPrefix,
  type RemoteAccess,
  type RemoteStore,
  type OpenOptions,
  isObjectName,
} from "../remote-store.ts";
import {
  addShared,
  readShared,
  renewShared,
  tryWriting,
  discardAbandoned,
  type SharedFolder,
} from "./shared-files.ts";
import { isTapedeckError } from "../../core/errors.ts";
import type { Dirent } from "node:fs";
import { join } from "node:path";
import { isTemporary } from "../../storage/folder/temporary.ts";

/**
 * A folder that several machines share: a network drive, a volume of a CI. Each object is a file, which gets its name
 * when it is whole. Nothing here waits in the thread of the process: a network drive may hang.
 * @throws TapedeckError `tapedeck_remote` where there is no such folder or it cannot be read
 */
export async function openSharedFolder(folder: FolderAddress, options: OpenOptions): Promise<RemoteStore> {
  const { name } = folder;
  const patience = createPatience(name, options.limits);
  const waiting = inTerms(name, patience);
  await waiting(() => expectFolder(folder), options.signal);
  const access = await probe(folder, options, waiting);

  return {
    name,
    access,
    notes: [],
    async get(object, signal) {
      expectName(object);
      return waiting(() => readShared(folder, object), signal);
    },
    async add(object, bytes, signal) {
      expectName(object);
      if (!access.mayWrite) throw readOnly(name, access.why);
      return waiting(() => addShared(folder, object, bytes), signal, bytes.byteLength);
    },
    list(prefix, signal) {
      expectPrefix(prefix);
      const step = <T>(work: () => Promise<T>): Promise<T> => waiting(work, signal);
      return listShared(folder, { prefix, step, tidies: access.mayWrite });
    },
    async touch(object, signal) {
      expectName(object);
      if (access.mayWrite) await waiting(() => renewShared(folder, object), signal);
    },
    close: () => Promise.resolve(),
  };
}

type Waiting = <T>(work: () => Promise<T>, signal: AbortSignal, sizeBytes?: number) => Promise<T>;

function inTerms(name: string, patience: Patience): Waiting {
  return (work, signal, sizeBytes) =>
    patience.wait(work, { signal, sizeBytes }).catch((error: unknown) => {
      throw folderFailure(name, error);
    });
}

async function expectFolder({ name, dir }: FolderAddress): Promise<void> {
  const stats = await stat(dir).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR")
      throw notThere(name, "it is not there.", error);
    throw error;
  });
  if (!stats.isDirectory()) throw notThere(name, "it is not a folder.");
  // Reading one entry tells whether it can be read.
  await (await opendir(dir)).close();
}

async function probe(
  folder: FolderAddress,
  { write, signal }: OpenOptions,
  waiting: Waiting,
): Promise<RemoteAccess> {
  if (!write) return { mayWrite: false, why: undefined };
  try {
    await waiting(() => tryWriting(folder), signal);
    return { mayWrite: true };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { mayWrite: false, why: "permission to write in it is denied" };
  }
}

function isForbidden(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return ["EACCES", "EPERM", "EROFS"].includes(codeOf(cause) ?? "");
}

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const FORBIDDEN = new Set(["EACCES", "EPERM", "EROFS"]);
const IN_THE_WAY = new Set(["ELOOP", "ENOTDIR", "EISDIR"]);

/** A failure of the file system in the terms of a remote; ours and the reasons of signals stay as they are. */
function folderFailure(name: string, error: unknown): unknown {
  const code = codeOf(error);
  if (isTapedeckError(error) || code === undefined) return error;
  const message = error instanceof Error ? error.message : code;
  if (FULL.has(code)) return isFull(name, "the disk is full or its limit is reached", error);
  if (FORBIDDEN.has(code))
    return remoteFailure("wrong", name, "refused access: permission is denied.", {
      hint: "Have the folder shared with the user that runs this, or open it for reading only.",
      cause: error,
    });
  if (IN_THE_WAY.has(code))
    return objectFailure(name, `has a link, a file or a folder in the way: ${message}.`, error);
  return notReached(name, message, error);
}

function notThere(name: string, what: string, cause?: unknown): Error {
  return remoteFailure("wrong", name, `cannot be used: ${what}`, {
    hint: "Mount the drive or make the folder, or name another one. It is not made by itself: a drive may be missing.",
    cause,
  });
}

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
