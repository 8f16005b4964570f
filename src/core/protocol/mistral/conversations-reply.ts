import type { ConversationMessage, ConversationPart } from "../base/protocol.ts";
import { countIn, fieldsOf, listOf, textIn, type Fields, jsonText, textOrJson } from "../../base/lenient.ts";
import type { EventReader, ReplyEvent, WireFamily } from "../base/events.ts";
import { messageOf, callPart, otherPart, resultPart, textParts } from "../base/parts.ts";
import { contentPart, messageFrom, thinkingText } from "../openai/chat/message.ts";

/**
 * Conversations, whose entries form one message. A failure is in the member `error`, or is the whole reply.
 * Source: docs.mistral.ai/api, 2026-11.
 */
export const CONVERSATION_FAMILY: WireFamily = {
  usage: "chat",
  reader: createEntryReader,
  failureIn: (fields) =>
    !Array.isArray(fields["outputs"]) &&
    (fields["error"] ?? (fields["object"] === "error" ? fields : undefined)),
  chunksOf({ outputs, usage }) {
    if (!Array.isArray(outputs)) return undefined;
    const entries = outputs.map((output, at) => ({ output_index: at, ...fieldsOf(output) }));
    return [...entries, { type: "conversation.response.done", usage }];
  },
};

/** State of an entry that is being read. */
interface Entry {
  readonly place: number;
  parts: number;
  /** Type of the last part. Consecutive texts are joined. */
  type: unknown;
  arguments: string;
}

/** Makes a reader. Pieces with the same `output_index` and ID belong to one entry. */
function createEntryReader(): EventReader {
  const entries = new Map<string, Entry>();
  return {
    read(event, name) {
      const type = textIn(event["type"]) ?? name ?? "";
      if (type === "conversation.response.done")
        return [
          { type: "usage", usage: fieldsOf(event["usage"]) },
          { type: "finish", reason: "done", only: "stream" },
        ];
      if (type === "conversation.response.error") return [{ type: "error", error: event }];
      if (event["error"]) return [{ type: "error", error: event["error"] }];
      const [, kind = type, step] = /^(.*)\.(delta|started|done)$/.exec(type) ?? [];
      if (step === "done" || (step !== undefined && !PIECES.has(kind))) return [];
      const key = `${countIn(event["output_index"]) ?? ""} ${textIn(event["id"]) ?? ""}`;
      const entry = entries.get(key) ?? { place: entries.size * 1000, parts: 0, type: "", arguments: "" };
      entries.set(key, entry);
      return [{ type: "start", model: textIn(event["model"]) }, ...entryEvents(kind, event, entry)];
    },
  };
}

const PIECES: ReadonlySet<string> = new Set(["message.output", "function.call", "tool.execution"]);

function entryEvents(kind: string, event: Fields, entry: Entry): readonly ReplyEvent[] {
  const { content, arguments: given } = event;
  const index = entry.place;
  if (kind === "message.output") {
    const chunks = Array.isArray(content) ? listOf(content) : content ? [content] : [];
    return chunks.map((chunk) => contentEvent(chunk, entry));
  }
  if (kind === "function.call") {
    const [id, name] = [textIn(event["tool_call_id"]), textIn(event["name"])];
    return [{ type: "call", index, id, name, arguments: textOrJson(given ?? "") }];
  }
  entry.arguments += kind === "tool.execution" ? textOrJson(given ?? "") : "";
  const parts = outputParts({ ...event, type: kind, arguments: entry.arguments });
  return [{ type: "part", index, parts, raw: event }];
}

function contentEvent(chunk: unknown, entry: Entry): ReplyEvent {
  const fields = typeof chunk === "string" ? { type: "text", text: chunk } : fieldsOf(chunk);
  const { type, text } = fields;
  if (type !== "text" || entry.type !== "text") entry.parts += 1;
  entry.type = type;
  const index = entry.place + entry.parts;
  if (type === "text") return { type, index, text: textIn(text) ?? "", isSilent: true };
  return type === "thinking"
    ? { type, index, text: thinkingText(fields["thinking"]) }
    : { type: "part", index, parts: [contentPart(chunk)], raw: chunk };
}

/** Reads inputs: a text, or entries of a conversation. */
export function inputMessages(inputs: unknown): ConversationMessage[] {
  if (typeof inputs === "string") return messageOf("user", textParts(inputs));
  return listOf(inputs).map(entryMessage);
}

/** Reads an entry by its type. Source: mistralai/client-python `inputentries.py`, 2026-11. */
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
