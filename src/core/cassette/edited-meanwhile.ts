import { isTapedeckError, tapedeckError, type TapedeckError } from "../base/errors.ts";

/** A recording was changed, or written, by somebody else while its call was made anew: what stands there stays. */
export interface EditedMeanwhile extends TapedeckError {
  readonly edited: EditedRecording;
}

export interface EditedRecording {
  readonly entry: string;
  /** Where the new answer lies, as a path relative to the cassette folder; undefined where it could not be kept. */
  readonly newer?: string;
}

/** `isNew` where nothing stood there when the call began. */
export function editedMeanwhile(edited: EditedRecording, isNew: boolean): EditedMeanwhile {
  const { entry, newer } = edited;
  const what = isNew
    ? "was written by somebody else while its call was made"
    : "was edited while its call was made anew";
  const error = tapedeckError(
    "tapedeck_cassette",
    `The recording ${entry} ${what}: what stands there now stays.`,
    {
      hint:
        newer === undefined
          ? "The new answer was passed on and is not kept; make the call once more to have it."
          : `The new answer lies beside it, at ${newer}: compare the two, and take over what you want.`,
    },
  );
  return Object.assign(error, { edited });
}

export function isEditedMeanwhile(error: unknown): error is EditedMeanwhile {
  return isTapedeckError(error) && "edited" in error;
}
