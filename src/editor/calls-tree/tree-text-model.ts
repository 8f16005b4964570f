import { joinSentences, localize } from "../../core/base/localize.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";
import { removeMarkupFromLine } from "../window/messages-model.ts";

/** Facts of all folders together. */
export interface TreeFacts {
  /** No row is shown. */
  readonly isEmpty: boolean;
  /** The reason if rows cannot be shown. */
  readonly failure: string | undefined;
  /** The filter as typed; undefined if there is none. */
  readonly filter: string | undefined;
  /** Progress of reading recordings. */
  readonly reading: { readonly read: number; readonly total: number };
  /** Number of long recordings that the filter still has to search. */
  readonly pending: number;
  /** A run without a call that reached Tapedeck, the reason if it is known, and the setting that may help. */
  readonly unreached:
    | { readonly what: string; readonly why?: string | undefined; readonly setting: string }
    | undefined;
  readonly requests: number;
}

export interface TreeTexts {
  /** Beside the view's title. */
  readonly description: string;
  /** Above the rows; "" if there is none. */
  readonly message: string;
}

/**
 * Returns one text at a time. VS Code hides the welcome text of a view that has a message, so a view without rows
 * gets a message only if the welcome text would be wrong.
 */
export function createTreeTexts(facts: TreeFacts): TreeTexts {
  const { filter, requests } = facts;
  const calls = requests > 0 ? localizeCount(requests, "{0} request", "{0} requests") : "";
  return {
    description: filter === undefined ? calls : localize("filtered"),
    message: removeMarkupFromLine(viewMessage(facts) ?? ""),
  };
}

function viewMessage({
  isEmpty,
  failure,
  filter,
  reading,
  pending,
  unreached,
}: TreeFacts): string | undefined {
  if (failure !== undefined) return failure;
  if (isEmpty) return undefined;
  const progress = describeReading(reading, pending);
  if (filter !== undefined)
    return progress === undefined
      ? localize("Calls with: {0}", filter)
      : localize("Calls with: {0} ({1})", filter, progress);
  if (progress !== undefined) return progress;
  if (unreached === undefined) return undefined;
  const { what, why, setting } = unreached;
  return joinSentences(
    localize("“{0}” made no call that reached Tapedeck.", what),
    why ??
      localize(
        "Check whether its client has a fixed address. Open a new terminal if this one was opened before Tapedeck was turned on. For runs from a test explorer, turn on the setting {0}.",
        setting,
      ),
  );
}

/** Returns the progress of reading and searching recordings; undefined when all are read. */
export function describeReading({ read, total }: TreeFacts["reading"], pending: number): string | undefined {
  if (read < total) return localize("Reading recordings: {0} of {1}", formatCount(read), formatCount(total));
  if (pending === 0) return undefined;
  return localizeCount(
    pending,
    "Searching long recordings: {0} file left",
    "Searching long recordings: {0} files left",
  );
}
