import { MESSAGES_FAMILY } from "../../../core/protocol/anthropic/reply.ts";
import { readFields, readList, readText } from "../../../core/base/lenient.ts";
import type { FinishReason } from "../../reply.ts";
import type { ChatRequest } from "../../request.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";
import { callPiece, readTextPieces, type Folding } from "../fold.ts";
import { STRUCTURED_TOOL } from "../request-parts.ts";

/** Reads a message. Blocks of the provider's own tools are only in the raw answer. */
export function foldMessage({ output }: ChatRequest): Folding {
  /** Blocks of the forced tool, whose input is the structured answer. */
  const structured = new Set<number>();
  return {
    family: MESSAGES_FAMILY,
    whole: (message) => ({ ...message, content: readList(message["content"]) }),
    name: "Anthropic",
    provider: "anthropic",
    reasonOf: (raw) => (structured.size > 0 ? "stop" : (FINISH[raw] ?? "other")),
    pieces(event) {
      const { index } = event;
      if (event.type === "thinking")
        return [
          { type: "thinking", index, text: event.text, ...pickDefined({ signature: event.signature }) },
        ];
      if (event.type === "text") return readTextPieces(event);
      if (event.type === "part") {
        const { type, data } = readFields(event.raw);
        if (type !== "redacted_thinking") return [];
        return [
          { type: "thinking", index, text: "", extras: { anthropic: { redacted: readText(data) ?? "" } } },
        ];
      }
      if (event.type !== "call") return [];
      if (output !== undefined && event.name === STRUCTURED_TOOL) structured.add(index);
      if (structured.has(index)) return readTextPieces({ type: "text", index, text: event.arguments ?? "" });
      return event.kind === undefined ? [callPiece(event)] : [];
    },
  };
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "content-filter",
};
