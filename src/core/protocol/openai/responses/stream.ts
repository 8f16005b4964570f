import { typedStream } from "../../stream-rules.ts";

/**
 * A response ends complete, or incomplete because a limit was reached; either is the whole answer.
 * Some compatible servers send `[DONE]` after it, which is part of the body and decides nothing.
 * Source: platform.openai.com/docs/api-reference/responses-streaming, 2026-11.
 */
export const openaiResponsesStream = typedStream({
  terminal: ["response.completed", "response.incomplete"],
  failed: ["response.failed", "error"],
});
