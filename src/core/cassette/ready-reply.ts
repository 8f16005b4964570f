import type { WireHeaders, WireReply } from "../call.ts";
import type { RecordedReply } from "./recording.ts";

/** A recorded reply as it goes out, at once. Whoever keeps it has all that a repeated call needs in one place. */
export interface ReadyReply extends WireReply {
  readonly body: Uint8Array;
  readonly entry: string;
  readonly recorded: RecordedReply;
}

export function readyReply(
  entry: string,
  recorded: RecordedReply,
  headers = headersOf(recorded),
): ReadyReply {
  const { status, body } = recorded;
  return { sent: undefined, status, entry, headers, body, recorded };
}

export function headersOf({ contentType }: Pick<RecordedReply, "contentType">): WireHeaders {
  return contentType === undefined ? [] : [["content-type", contentType]];
}
