import { isTapedeckError, tapedeckError, type TapedeckError } from "../errors.ts";

/** A recording was changed by somebody else while its call was made anew: what stands there stays. */
export interface EditedMeanwhile extends TapedeckError {
  readonly edited: EditedRecording;
}

export interface EditedRecording {
  readonly entry: string;
  /** Where the new answer lies, as a path relative to the cassette folder; undefined where it could not be kept. */
  readonly newer?: string;
}

export function editedMeanwhile(edited: EditedRecording): EditedMeanwhile {
  const { entry, newer } = edited;
  const error = tapedeckError(
    "tapedeck_cassette",
    `The recording ${entry} was edited while its call was made anew: what stands there now stays.`,
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
