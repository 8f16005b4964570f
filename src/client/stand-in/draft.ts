import type { ReplyDraft } from "../../core/protocol/protocol.ts";
import { textOf, toolCallsOf } from "../message.ts";
import { splitText, type MockAnswer } from "../mock/mock-reply.ts";
import { inputTokens, type ChatReply } from "../reply.ts";

/** What a client of the core answered, as an operation takes it; a stream of it comes word by word. */
export function draftOf({ message, usage, finishReason }: ChatReply): ReplyDraft {
  const text = textOf(message);
  return {
    text,
    pieces: splitText(text, "words", () => Number.NaN),
    toolCalls: toolCallsOf(message),
    ...((finishReason === "length" || finishReason === "content-filter") && { finish: finishReason }),
    ...(usage && { usage: { inputTokens: inputTokens(usage), outputTokens: usage.outputTokens } }),
  };
}

/** The same the other way round. Only calls: it says nothing, not an empty text. */
export function mockOfDraft({ text, toolCalls = [], usage, finish = "stop" }: ReplyDraft): MockAnswer {
  const calls = toolCalls.map((call) => ({ type: "tool-call", ...call }) as const);
  const said = text === "" && calls.length > 0 ? [] : [{ type: "text", text } as const];
  return {
    content: [...said, ...calls],
    // What a mock ends with where nothing is said depends on whether it calls.
    ...(finish !== "stop" && { finishReason: finish }),
    ...(usage && { usage: { uncachedInputTokens: usage.inputTokens, outputTokens: usage.outputTokens } }),
  };
}
