import { countIn, fieldsOf, listOf, textIn, type Fields } from "../../../core/protocol/reading/lenient.ts";
import { type ChatReply, type FinishReason, type StreamEvent, usage } from "../../reply.ts";
import { replyOf, startEvent, endEvents } from "../adapter.ts";
import type { ChunkReader } from "../fold.ts";

const PLACE = { thinking: 0, text: 1, calls: 2 } as const;

export const ollamaReply = (raw: unknown): ChatReply => replyOf(ollamaChunks(), [raw]);

/** Reads the chunks of one stream. Calls have no ids here: theirs are made of their number and name. */
export function ollamaChunks(): ChunkReader {
  let started = false;
  let calls = 0;
  let done: Fields | undefined;
  return {
    read(one) {
      const chunk = fieldsOf(one);
      const message = fieldsOf(chunk["message"]);
      const events: StreamEvent[] = started ? [] : [startEvent(undefined, chunk["model"])];
      started = true;
      const thought = textIn(message["thinking"]);
      if (thought !== undefined) events.push({ type: "thinking", index: PLACE.thinking, text: thought });
      const text = textIn(message["content"]);
      if (text !== undefined) events.push({ type: "text", index: PLACE.text, text });
      for (const call of listOf(message["tool_calls"])) events.push(callOf(call, calls++));
      if (chunk["done"] === true) done = chunk;
      return events;
    },
    end() {
      if (done === undefined) return [];
      const { message: _said, ...raw } = done;
      const rawReason = textIn(done["done_reason"]) ?? "stop";
      const input = countIn(done["prompt_eval_count"]);
      const output = countIn(done["eval_count"]);
      const isCounted = input !== undefined || output !== undefined;
      const counts = { uncachedInputTokens: input ?? 0, outputTokens: output ?? 0, raw };
      return endEvents(isCounted ? usage(counts) : undefined, rawReason, (reason) => reasonOf(reason, calls));
    },
  };
}

function callOf(call: unknown, number: number): StreamEvent {
  const fields = fieldsOf(call);
  const { name: given, arguments: args } = fieldsOf(fields["function"]);
  const name = textIn(given) ?? "";
  const text = typeof args === "string" ? args : JSON.stringify(fieldsOf(args));
  const id = textIn(fields["id"]) ?? `${number}_${name}`;
  return { type: "tool-call", index: PLACE.calls + number, id, name, arguments: text };
}

function reasonOf(reason: string, calls: number): FinishReason {
  if (reason === "stop") return calls > 0 ? "tool-calls" : "stop";
  return reason === "length" ? "length" : "other";
}
