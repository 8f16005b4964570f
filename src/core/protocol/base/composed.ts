import type { ComposedReply, ReplyDraft, ToolCallDraft } from "./protocol.ts";
import { readFields, tryParsePlainJson, type Fields } from "../../base/lenient.ts";
import { encodeUtf8 } from "../../base/wire/text.ts";

export function composeJson(value: unknown, contentType = "application/json"): ComposedReply {
  return { contentType, body: encodeUtf8(JSON.stringify(value)) };
}

export function composeFrames(frames: readonly string[]): ComposedReply {
  return { contentType: "text/event-stream; charset=utf-8", body: encodeUtf8(frames.join("")) };
}

/** Composes a stream of events that are named by their type. */
export function composeEvents(events: readonly (Fields & { readonly type: string })[]): ComposedReply {
  return composeFrames(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`));
}

/** Composes a stream of unnamed chunks that ends with `[DONE]`. */
export function composeChunkStream(chunks: readonly object[]): ComposedReply {
  const data = [...chunks.map((chunk) => JSON.stringify(chunk)), "[DONE]"];
  return composeFrames(data.map((one) => `data: ${one}\n\n`));
}

export function composeLines(values: readonly object[], contentType: string): ComposedReply {
  return { contentType, body: encodeUtf8(values.map((value) => `${JSON.stringify(value)}\n`).join("")) };
}

/** Returns the pieces of a streamed text; none for an empty text. */
export function splitDraft({ text, pieces = text.split(/(?<=\n)/) }: ReplyDraft): readonly string[] {
  return pieces.filter((piece) => piece !== "");
}

/** Composes a call in the format of OpenAI and Cohere. */
export function composeFunctionCall({ id, name, arguments: text }: ToolCallDraft): object {
  return { id, type: "function", function: { name, arguments: text } };
}

/** Parses the arguments of a call, for providers that send them as a value. */
export const composeArguments = ({ arguments: text }: ToolCallDraft): Fields =>
  readFields(tryParsePlainJson(text));

/** Returns the provider's finish reason. */
export function composeFinish(
  { finish = "stop", toolCalls = [] }: ReplyDraft,
  words: Readonly<Record<"stop" | "length" | "content-filter" | "tool-calls", string>>,
): string {
  return words[finish === "stop" && toolCalls.length > 0 ? "tool-calls" : finish];
}

/** Returns the token counts of a draft; the default is 0. */
export function composeUsage({ usage }: ReplyDraft): { readonly input: number; readonly output: number } {
  return { input: usage?.inputTokens ?? 0, output: usage?.outputTokens ?? 0 };
}
