import { at, isObject, numberAt, type FileTree } from "./tree.ts";

/** What a file says of the status of a reply. */
export type SaidStatus = number | "unsaid" | "unreadable";

/**
 * The status under the first of these names that is there: a number, a text of digits, or an object with a `code`.
 * It is never guessed: what is there and cannot be read as a status is no 200.
 */
export function statusIn(
  message: FileTree | undefined,
  names: readonly string[] = ["status", "status_code", "statusCode", "code"],
): SaidStatus {
  for (const name of names) {
    const said = at(message, name);
    if (said === undefined || said === null) continue;
    const status = isObject(said) ? numberAt(said, "code") : numberAt(said);
    return status !== undefined && Number.isInteger(status) ? status : "unreadable";
  }
  return "unsaid";
}

/** Why a reply without a known status is left out, as the end of a sentence about its call. */
export const NO_STATUS = "has a reply whose status cannot be read, so that it may be an error";
