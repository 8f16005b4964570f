import type { SseEvent } from "../../base/wire/sse.ts";
import type { Projection, ConversationMessage, ConversationPart } from "../base/protocol.ts";
import {
  countIn,
  fieldsOf,
  jsonIn,
  listOf,
  textIn,
  type Fields,
  jsonText,
  textOrJson,
} from "../../base/lenient.ts";
import { messageOf, callPart, otherPart, resultPart, textParts } from "../base/parts.ts";
import { replyReader, type StreamReading } from "../base/reply.ts";
import { usageIn } from "../base/usage.ts";
import { failureIn } from "./failure.ts";
import { messageFrom } from "../openai/chat/message.ts";

/** The neutral reading of a reply, whole or streamed: its entries are one message. */
export const projectConversation = replyReader({
  failure: (fields) => !Array.isArray(fields["outputs"]) && failureIn(fields),
  whole: ({ outputs, usage }) => (Array.isArray(outputs) ? projectOutputs(outputs, usage) : undefined),
  stream: assemble,
});

function projectOutputs(outputs: readonly unknown[], usage: unknown): Projection {
  return {
    messages: messageOf("assistant", outputs.flatMap(outputParts)),
    usage: usageIn(usage, "chat"),
    model: outputs.flatMap((output) => textIn(fieldsOf(output)["model"]) ?? []).at(-1),
  };
}

/** Puts the events of a stream together: those of one `output_index` and id are one entry in pieces. */
function assemble(events: readonly SseEvent[]): StreamReading {
  const outputs = new Map<string, Fields>();
  const errors: unknown[] = [];
  let usage: unknown;
  for (const { event, data } of events) {
    const fields = fieldsOf(jsonIn(data));
    const type = textIn(fields["type"]) ?? event ?? "";
    if (type === "conversation.response.done") usage = fields["usage"];
    else if (type === "conversation.response.error") errors.push(fields);
    else if (fields["error"]) errors.push(fields["error"]);
    else addTo(outputs, type, fields);
  }
  return { read: projectOutputs([...outputs.values()], usage), errors };
}

const PIECES: ReadonlyMap<string, string> = new Map([
  ["message.output.delta", "message.output"],
  ["function.call.delta", "function.call"],
  ["tool.execution.started", "tool.execution"],
  ["tool.execution.delta", "tool.execution"],
]);

function addTo(outputs: Map<string, Fields>, type: string, piece: Fields): void {
  const whole = PIECES.get(type);
  if (whole === undefined) return;
  const key = `${countIn(piece["output_index"]) ?? ""} ${textIn(piece["id"]) ?? ""}`;
  const known = outputs.get(key);
  outputs.set(key, {
    ...known,
    ...piece,
    type: whole,
    content: [...listOf(known?.["content"]), ...chunksOf(piece["content"])].reduce<unknown[]>(
      appendChunk,
      [],
    ),
    arguments: `${textIn(known?.["arguments"]) ?? ""}${textIn(piece["arguments"]) ?? ""}`,
  });
}

function chunksOf(content: unknown): readonly unknown[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content === undefined || content === null ? [] : [content];
}

/** Texts that follow each other are one. */
function appendChunk(chunks: unknown[], chunk: unknown): unknown[] {
  const last = fieldsOf(chunks.at(-1));
  const { type, text } = fieldsOf(chunk);
  if (type !== "text" || last["type"] !== "text") return [...chunks, chunk];
  return [...chunks.slice(0, -1), { type, text: `${String(last["text"])}${String(text)}` }];
}

/** A text, or entries of a conversation. */
export function inputMessages(inputs: unknown): ConversationMessage[] {
  if (typeof inputs === "string") return messageOf("user", textParts(inputs));
  return listOf(inputs).map(entryMessage);
}

/** An entry by its type. Source: mistralai/client-python `inputentries.py`, 2026-11. */
export function entryMessage(value: unknown): ConversationMessage {
  const fields = fieldsOf(value);
  const type = textIn(fields["type"]) ?? "message.input";
  if (type === "function.result") {
    const text = textIn(fields["result"]) ?? "";
    return { role: "tool", parts: [resultPart(fields["tool_call_id"], text)] };
  }
  const parts = outputParts(value);
  const role = textIn(fields["role"]) ?? (type === "message.input" ? "user" : "assistant");
  return { role, parts };
}

export function outputParts(value: unknown): readonly ConversationPart[] {
  const fields = fieldsOf(value);
  const type = textIn(fields["type"]) ?? "";
  if (type.startsWith("message.") || (type === "" && "content" in fields))
    return messageFrom({ content: fields["content"] }, "assistant").parts;
  const given = fields["arguments"] ?? "";
  if (type === "function.call") return [callPart(fields["tool_call_id"], fields["name"], given)];
  if (type === "tool.execution") {
    return [otherPart(`executed ${textIn(fields["name"]) ?? "tool"}`, textOrJson(given) || "done")];
  }
  return [otherPart(type || "entry", jsonText(value))];
}
