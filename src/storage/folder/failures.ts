import { localize } from "../../core/base/localize.ts";
import {
  createBrokenRecording,
  createCassetteFolderUnusable,
  isTapedeckError,
  createTapedeckError,
  type TapedeckError,
} from "../../core/base/errors.ts";

/** Explanations of failed system calls for the user, by error code. */
const reasons = (): Readonly<Record<string, string>> => ({
  EACCES: localize("permission is denied."),
  EPERM: localize("the operation is not permitted."),
  EROFS: localize("it is on a read-only file system."),
  ENOTDIR: localize("a file is in the place of a folder."),
  EEXIST: localize("a file is in the place of a folder."),
  ELOOP: localize("a symbolic link is in the place of a folder or file."),
  EIO: localize("the disk reported an error."),
  EMFILE: localize("too many files are open."),
  ENFILE: localize("too many files are open."),
  ENAMETOOLONG: localize("its path is too long."),
});

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Returns a failure of the file system as a TapedeckError, with the original as its cause. */
export function convertStorageFailure(dir: string, error: unknown): TapedeckError {
  if (isTapedeckError(error)) return error;
  const code = getErrorCode(error) ?? "";
  if (FULL.has(code)) return noSpace(dir, error);
  const reason =
    reasons()[code] ?? (error instanceof Error ? `${error.message}.` : localize("the reason is unknown."));
  return createCassetteFolderUnusable(dir, reason, error);
}

/** Runs an action in a cassette folder. @throws TapedeckError for any failure, as `convertStorageFailure` returns it */
export async function runStorageTask<T>(dir: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw convertStorageFailure(dir, error);
  }
}

/** Returns the code of a failed system call, e.g. "ENOENT". */
export function getErrorCode(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Error codes for a missing file; `NOWHERE` also for a missing folder. */
export const GONE = ["ENOENT"];
export const NOWHERE = ["ENOENT", "ENOTDIR"];
export const TAKEN = ["EEXIST"];

/** Returns a handler that gives `value` for a failure with one of these codes. @throws any other failure */
export function recoverFromCodes<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(getErrorCode(error) ?? "")) return value;
    throw error;
  };
}

/** Returns the error for restoring a removed recording whose name is in use again. */
export function createPlaceTaken(entry: string): TapedeckError {
  const message = localize("The recording {0} cannot be restored, because a new one has its name.", entry);
  return createTapedeckError("tapedeck_cassette", message, {
    hint: localize("Delete the new recording first, or keep it."),
  });
}

export function createNoSuchRecordingError(entry: string, cause?: unknown): TapedeckError {
  const error = createTapedeckError("tapedeck_cassette", localize("There is no recording {0}.", entry), {
    hint: localize("It was deleted or renamed. Record the call again, or restore the file."),
    cause,
  });
  return Object.assign(error, { gone: entry });
}

function noSpace(dir: string, cause: unknown): TapedeckError {
  return createTapedeckError(
    "tapedeck_cassette",
    localize("The recording could not be written to {0}: the disk is full.", dir),
    {
      hint: localize("Free disk space and make the call again. Existing recordings are intact."),
      cause,
    },
  );
}

/** Returns a failure to read the file of a recording, as a broken recording if its file is the cause. */
export function convertReadFailure(dir: string, entry: string, error: unknown): Error {
  const code = getErrorCode(error);
  if (code === "ELOOP")
    return createBrokenRecording(entry, localize("it is a symbolic link, and links are not followed here."));
  if (code === "NOT_A_FILE")
    return createBrokenRecording(entry, localize("it is a pipe, a socket, or a device."));
  if (code === "TOO_LARGE") return createBrokenRecording(entry, localize("it is larger than 256 MiB."));
  if (code === "EISDIR") return createBrokenRecording(entry, localize("it is a folder."));
  if (code === "EACCES") return createBrokenRecording(entry, localize("permission to read it is denied."));
  return convertStorageFailure(dir, error);
}
