import {
  cassetteFolderUnusable,
  isTapedeckError,
  tapedeckError,
  type TapedeckError,
} from "../../core/base/errors.ts";

/** Explanations of system errors for people, as the end of a sentence. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: "permission is denied.",
  EPERM: "the operation is not permitted.",
  EROFS: "it is on a read-only file system.",
  ENOTDIR: "a file is in the place of a folder.",
  EEXIST: "a file is in the place of a folder.",
  ELOOP: "a symbolic link is in the place of a folder or file.",
  EIO: "the disk reported an error.",
  EMFILE: "too many files are open.",
  ENFILE: "too many files are open.",
  ENAMETOOLONG: "its path is too long.",
};

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Returns a failure of the file system as a TapedeckError, with the original as its cause. */
export function storageFailure(dir: string, error: unknown): TapedeckError {
  if (isTapedeckError(error)) return error;
  const code = codeOf(error) ?? "";
  if (FULL.has(code)) return noSpace(dir, error);
  const reason = REASONS[code] ?? (error instanceof Error ? `${error.message}.` : "for an unknown reason.");
  return cassetteFolderUnusable(dir, reason, error);
}

/** Runs an action in a cassette folder. @throws TapedeckError as `storageFailure` does */
export async function orFailure<T>(dir: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw storageFailure(dir, error);
  }
}

/** The code of a failed system call, e.g. "ENOENT". */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}

/** Error codes for a missing file; `NOWHERE` also for a missing folder. */
export const GONE = ["ENOENT"];
export const NOWHERE = ["ENOENT", "ENOTDIR"];
export const TAKEN = ["EEXIST"];

/** Returns a handler that gives `value` for a failure with one of these codes. @throws any other failure */
export function whereCode<T>(codes: readonly string[], value: T): (error: unknown) => T {
  return (error) => {
    if (codes.includes(codeOf(error) ?? "")) return value;
    throw error;
  };
}

/** The failure to restore a removed recording whose name is in use again. */
export function placeTaken(entry: string): TapedeckError {
  const message = `The recording ${entry} cannot be put back: there is another one now.`;
  return tapedeckError("tapedeck_cassette", message, { hint: "Delete the new one first, or keep it." });
}

export function noSuchRecording(entry: string, cause?: unknown): TapedeckError {
  const error = tapedeckError("tapedeck_cassette", `There is no recording ${entry}.`, {
    hint: "It was deleted or renamed meanwhile; record the call again, or bring the file back.",
    cause,
  });
  return Object.assign(error, { gone: entry });
}

function noSpace(dir: string, cause: unknown): TapedeckError {
  return tapedeckError(
    "tapedeck_cassette",
    `The recording could not be written to ${dir}: the disk is full.`,
    {
      hint: "Free some space and make the call again; what was recorded before is intact.",
      cause,
    },
  );
}
