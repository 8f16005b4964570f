import { chatError } from "./errors.ts";
import type { Part } from "./message.ts";
import type { PartPiece, StreamEvent } from "./part-stream.ts";
import type { ChatReply } from "./reply.ts";

/** A whole answer as a stream that gives it back when it is collected: one piece a part. */
export function replyEvents(reply: ChatReply): readonly StreamEvent[] {
  const { id, model, usage, finishReason, rawFinishReason } = reply;
  return [
    { type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }) },
    ...reply.message.parts.map(pieceOf),
    ...(usage === undefined ? [] : [{ type: "usage", usage } as const]),
    ...("output" in reply ? [{ type: "output", output: reply.output } as const] : []),
    {
      type: "finish",
      reason: finishReason,
      ...(rawFinishReason !== undefined && { rawReason: rawFinishReason }),
    },
  ];
}

/** A part as the one piece that makes it. @throws ChatError "validation" for a tool's result, which no model says. */
export function pieceOf(part: Part, index: number): PartPiece {
  if (part.type === "tool-result")
    throw chatError("validation", `reply.parts[${index}]: a tool's result cannot stand in an answer`, {
      where: `reply.parts[${index}]`,
    });
  if (part.type === "text" || part.type === "thinking" || part.type === "tool-call")
    return { ...part, index };
  return { type: "media", index, part };
}
