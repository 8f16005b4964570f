import { joinSentences, localize } from "../../core/base/localize.ts";
import { showWarning } from "../window/messages.ts";
import { getErrorCode } from "../../storage/folder/failures.ts";
import { showFailure } from "./show-failure.ts";
import { type TapedeckError, explain } from "../../core/base/errors.ts";

/** Reports answers that could not be recorded in a message, because few people read the log while tests pass. */
export function reportUnwritable() {
  const reported = new Set<string>();
  return {
    failed(reason: TapedeckError): void {
      // The system's message may contain a file name that differs each time.
      const name = getErrorCode(reason.cause) ?? reason.message;
      if (reported.has(name)) return;
      reported.add(name);
      const what = localize("Calls get their responses, but the responses cannot be recorded.");
      void showFailure(reason, { text: joinSentences(what, explain(reason)), show: showWarning });
    },
    /** An answer was recorded: a later failure is reported again. */
    recorded: (): void => reported.clear(),
  };
}
