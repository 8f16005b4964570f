import type { Composed, ReplyDraft, ToolCallDraft } from "./protocol.ts";
import { fieldsOf, jsonIn, type Fields } from "../../base/lenient.ts";
import { bytesOf } from "../../base/wire/text.ts";

export function composedJson(value: unknown, contentType = "application/json"): Composed {
  return { contentType, body: bytesOf(JSON.stringify(value)) };
}

export function composedFrames(frames: readonly string[]): Composed {
  return { contentType: "text/event-stream; charset=utf-8", body: bytesOf(frames.join("")) };
}

/** A stream of events, each under the name that its type is. */
export function composedEvents(events: readonly (Fields & { readonly type: string })[]): Composed {
  return composedFrames(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}

/** A stream of chunks without names, and `[DONE]`. */
export function composedChunks(chunks: readonly object[]): Composed {
  const data = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  return composedFrames(data.map((one) => `data: ${one}\n\n`));
}

export function composedLines(values: readonly object[], contentType: string): Composed {
  return { contentType, body: bytesOf(values.map((value) => `${JSON.stringify(value)}\n`).join("")) };
}

/** The text of a stream as it is cut; nothing for an empty text. */
export function piecesOf({ text, pieces = text.split(/(?<=\n)/) }: ReplyDraft): readonly string[] {
  return pieces.filter((piece) => piece !== "");
}

/** A call as OpenAI and Cohere say it. */
export function functionCall({ id, name, arguments: text }: ToolCallDraft): object {
  return { id, type: "function", function: { name, arguments: text } };
}

/** The arguments of a call for providers that want them as a value. */
export const argumentsOf = ({ arguments: text }: ToolCallDraft): Fields => fieldsOf(jsonIn(text));

/** The provider's own word for why a reply ends. */
export function finishOf(
  { finish = "stop", toolCalls = [] }: ReplyDraft,
  words: Readonly<Record<"stop" | "length" | "content-filter" | "tool-calls", string>>,
): string {
  return words[finish === "stop" && toolCalls.length > 0 ? "tool-calls" : finish];
}

/** What was spent: nothing, where the draft does not say. */
export function spentIn({ usage }: ReplyDraft): { readonly input: number; readonly output: number } {
  return { input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0 };
}
