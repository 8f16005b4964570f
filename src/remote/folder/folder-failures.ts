import { isTapedeckError } from "../../core/errors.ts";
import { codeOf } from "../../storage/folder/failures.ts";
import { isFull, notReached, objectFailure, remoteFailure } from "../failures.ts";

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const FORBIDDEN = new Set(["EACCES", "EPERM", "EROFS"]);
const IN_THE_WAY = new Set(["ELOOP", "ENOTDIR", "EISDIR"]);

/** A failure of the file system in the terms of a remote; ours and the reasons of signals stay as they are. */
export function folderFailure(name: string, error: unknown): unknown {
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

export function notThere(name: string, what: string, cause?: unknown): Error {
  return remoteFailure("wrong", name, `cannot be used: ${what}`, {
    hint: "Mount the drive or make the folder, or name another one. It is not made by itself: a drive may be missing.",
    cause,
  });
}
