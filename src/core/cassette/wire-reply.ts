import type { WireReply } from "../exchange.ts";
import type { RecordedReply } from "./recording.ts";

/** A recorded reply as it goes out, at once: the one that is kept with it where there is one. */
export function wireReplyOf(recorded: RecordedReply): WireReply {
  return recorded.wire ?? makeWireReply(recorded);
}

export function makeWireReply({ status, contentType, body }: RecordedReply): WireReply {
  const headers: WireReply["headers"] = contentType === undefined ? [] : [["content-type", contentType]];
  return { status, headers, body, characters: undefined };
}
