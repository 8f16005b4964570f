import { localize } from "../base/localize.ts";
import { isTapedeckError, createTapedeckError, type TapedeckError } from "../base/errors.ts";

/**
 * Returns the error for a recording that another program changed or wrote while its call was being refreshed. `isNew`:
 * whether there was no recording when the call started.
 */
export function describeEditedMeanwhile(entry: string, isNew: boolean): TapedeckError {
  const message = isNew
    ? localize("Another process wrote the recording {0} during this call. Its file was not replaced.", entry)
    : localize(
        "The recording {0} was edited while its call was made again. Its file was not replaced.",
        entry,
      );
  const hint = localize("The new response was forwarded and not saved. Make the call again to record it.");
  return Object.assign(createTapedeckError("tapedeck_cassette", message, { hint }), { isEdited: true });
}

export function isEditedMeanwhile(error: unknown): error is TapedeckError {
  return isTapedeckError(error) && "isEdited" in error;
}
