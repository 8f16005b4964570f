import { countText, plural } from "../../core/base/plural.ts";
import { plainLine } from "../window/messages-model.ts";

/** What is known of all folders together. */
export interface TreeFacts {
  /** No row is shown. */
  readonly isEmpty: boolean;
  /** Why rows cannot be shown, where they cannot. */
  readonly failure: string | undefined;
  /** As typed; undefined where nothing is filtered. */
  readonly filter: string | undefined;
  /** Of the recordings that are being read, how many are. */
  readonly reading: { readonly read: number; readonly total: number };
  /** Long recordings that a filter still has to look into. */
  readonly pending: number;
  /** What ended without a call that reached Tapedeck: why, where that is known, and the setting that may help. */
  readonly unreached:
    | { readonly what: string; readonly why?: string | undefined; readonly setting: string }
    | undefined;
  readonly requests: number;
}

export interface TreeTexts {
  /** Beside the view's title. */
  readonly description: string;
  /** Above the rows; "" where nothing is. */
  readonly message: string;
}

/**
 * One thing at a time, so that none runs into another. A view with a message shows no welcome, and a view without
 * rows lives on its welcome: it has a message only where that would be wrong.
 */
export function treeTexts(facts: TreeFacts): TreeTexts {
  const { filter, requests } = facts;
  const calls = requests > 0 ? plural(requests, "request") : "";
  return {
    description: filter === undefined ? calls : "filtered",
    message: plainLine(viewMessage(facts) ?? ""),
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
  const progress = progressText(reading, pending);
  if (filter !== undefined) return `Calls with: ${filter}${progress === undefined ? "" : ` (${progress})`}`;
  if (progress !== undefined) return progress;
  if (unreached === undefined) return undefined;
  if (unreached.why !== undefined) return `“${unreached.what}”: no call reached Tapedeck. ${unreached.why}`;
  return `“${unreached.what}” made no call that reached Tapedeck. See whether its client has an address of its own; a terminal that is older than Tapedeck here needs a new one, and what a test explorer starts the setting ${unreached.setting}.`;
}

function progressText({ read, total }: TreeFacts["reading"], pending: number): string | undefined {
  if (read < total) return `Reading recordings: ${countText(read)} of ${countText(total)}`;
  return pending > 0 ? `Searching long recordings: ${plural(pending, "file")} left` : undefined;
}
