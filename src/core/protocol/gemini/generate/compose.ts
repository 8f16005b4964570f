import { geminiAddress } from "../address.ts";
import { composedFrames, composedJson, linesOf, type Composed } from "../../composed.ts";
import type { ProtocolRequest, ReplyDraft } from "../../protocol.ts";

/** Nothing was spent. */
const USAGE = { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 };

/** A response that says the draft's text. */
export function composeWhole(draft: ReplyDraft, request: ProtocolRequest): Composed {
  return composedJson(chunk(request, draft.text, "STOP"));
}

/** A stream with a chunk a line of the text: server-sent events or one JSON array, as the address asks. */
export function composeStream(draft: ReplyDraft, request: ProtocolRequest): Composed {
  const lines = linesOf(draft.text).map((line) => chunk(request, line));
  const chunks = [...lines, chunk(request, "", "STOP")];
  if (!/[?&]\$?alt=sse(?:&|$)/.test(request.path))
    return composedJson(chunks, "application/json; charset=UTF-8");
  return composedFrames(chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`));
}

function chunk(request: ProtocolRequest, text: string, finishReason?: string): object {
  return {
    candidates: [
      { content: { parts: [{ text }], role: "model" }, ...(finishReason && { finishReason }), index: 0 },
    ],
    ...(finishReason && { usageMetadata: USAGE }),
    modelVersion: geminiAddress.modelIn(request.path) ?? "",
    responseId: "tapedeck",
  };
}
