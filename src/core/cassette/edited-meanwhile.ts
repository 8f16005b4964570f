import { localize } from "../base/localize.ts";
import { isTapedeckError, createTapedeckError, type TapedeckError } from "../base/errors.ts";

/** Another program changed or wrote a recording while its call was being refreshed. Its content is kept. */
export interface EditedMeanwhile extends TapedeckError {
  readonly edited: EditedRecording;
}

export interface EditedRecording {
  readonly entry: string;
  /** The path of the new answer, relative to the cassette folder; undefined if it could not be kept. */
  readonly newer?: string;
}

/** `isNew`: whether there was no recording when the call started. */
export function describeEditedMeanwhile(edited: EditedRecording, isNew: boolean): EditedMeanwhile {
  const { entry, newer } = edited;
  const error = createTapedeckError(
    "tapedeck_cassette",
    isNew
      ? localize(
          "Another process wrote the recording {0} during this call. Its file was not replaced.",
          entry,
        )
      : localize(
          "The recording {0} was edited while its call was made again. Its file was not replaced.",
          entry,
        ),
    {
      hint:
        newer === undefined
          ? localize("The new response was forwarded and not saved. Make the call again to record it.")
          : localize("The new response is in {0}. Compare the two, and copy what you need.", newer),
    },
  );
  return Object.assign(error, { edited });
}

export function isEditedMeanwhile(error: unknown): error is EditedMeanwhile {
  return isTapedeckError(error) && "edited" in error;
}
