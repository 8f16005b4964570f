import type { ConversationMessage, ConversationPart } from "../base/protocol.ts";
import {
  readCount,
  readFields,
  readList,
  readText,
  type Fields,
  stringifyJson,
  writeTextOrJson,
} from "../../base/lenient.ts";
import type { EventReader, ReplyEvent, WireFamily } from "../base/events.ts";
import {
  createMessages,
  createCallPart,
  createOtherPart,
  createResultPart,
  createTextParts,
} from "../base/parts.ts";
import { contentPart, readChatMessage, readThinkingText } from "../openai/chat/message.ts";

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
    const entries = outputs.map((output, at) => ({ output_index: at, ...readFields(output) }));
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
      const type = readText(event["type"]) ?? name ?? "";
      if (type === "conversation.response.done")
        return [
          { type: "usage", usage: readFields(event["usage"]) },
          { type: "finish", reason: "done", only: "stream" },
        ];
      if (type === "conversation.response.error") return [{ type: "error", error: event }];
      if (event["error"]) return [{ type: "error", error: event["error"] }];
      const [, kind = type, step] = /^(.*)\.(delta|started|done)$/.exec(type) ?? [];
      if (step === "done" || (step !== undefined && !PIECES.has(kind))) return [];
      const key = `${readCount(event["output_index"]) ?? ""} ${readText(event["id"]) ?? ""}`;
      const entry = entries.get(key) ?? { place: entries.size * 1000, parts: 0, type: "", arguments: "" };
      entries.set(key, entry);
      return [{ type: "start", model: readText(event["model"]) }, ...entryEvents(kind, event, entry)];
    },
  };
}

const PIECES: ReadonlySet<string> = new Set(["message.output", "function.call", "tool.execution"]);

function entryEvents(kind: string, event: Fields, entry: Entry): readonly ReplyEvent[] {
  const { content, arguments: given } = event;
  const index = entry.place;
  if (kind === "message.output") {
    const chunks = Array.isArray(content) ? readList(content) : content ? [content] : [];
    return chunks.map((chunk) => contentEvent(chunk, entry));
  }
  if (kind === "function.call") {
    const [id, name] = [readText(event["tool_call_id"]), readText(event["name"])];
    return [{ type: "call", index, id, name, arguments: writeTextOrJson(given ?? "") }];
  }
  entry.arguments += kind === "tool.execution" ? writeTextOrJson(given ?? "") : "";
  const parts = readMistralOutput({ ...event, type: kind, arguments: entry.arguments });
  return [{ type: "part", index, parts, raw: event }];
}

function contentEvent(chunk: unknown, entry: Entry): ReplyEvent {
  const fields = typeof chunk === "string" ? { type: "text", text: chunk } : readFields(chunk);
  const { type, text } = fields;
  if (type !== "text" || entry.type !== "text") entry.parts += 1;
  entry.type = type;
  const index = entry.place + entry.parts;
  if (type === "text") return { type, index, text: readText(text) ?? "", isSilent: true };
  return type === "thinking"
    ? { type, index, text: readThinkingText(fields["thinking"]) }
    : { type: "part", index, parts: [contentPart(chunk)], raw: chunk };
}

/** Reads inputs: a text, or entries of a conversation. */
export function readMistralInputs(inputs: unknown): ConversationMessage[] {
  if (typeof inputs === "string") return createMessages("user", createTextParts(inputs));
  return readList(inputs).map(readMistralEntry);
}

/** Reads an entry by its type. Source: mistralai/client-python `inputentries.py`, 2026-11. */
export function readMistralEntry(value: unknown): ConversationMessage {
  const fields = readFields(value);
  const type = readText(fields["type"]) ?? "message.input";
  if (type === "function.result") {
    const text = readText(fields["result"]) ?? "";
    return { role: "tool", parts: [createResultPart(fields["tool_call_id"], text)] };
  }
  const parts = readMistralOutput(value);
  const role = readText(fields["role"]) ?? (type === "message.input" ? "user" : "assistant");
  return { role, parts };
}

export function readMistralOutput(value: unknown): readonly ConversationPart[] {
  const fields = readFields(value);
  const type = readText(fields["type"]) ?? "";
  if (type.startsWith("message.") || (type === "" && "content" in fields))
    return readChatMessage({ content: fields["content"] }, "assistant").parts;
  const given = fields["arguments"] ?? "";
  if (type === "function.call") return [createCallPart(fields["tool_call_id"], fields["name"], given)];
  if (type === "tool.execution") {
    return [
      createOtherPart(`executed ${readText(fields["name"]) ?? "tool"}`, writeTextOrJson(given) || "done"),
    ];
  }
  return [createOtherPart(type || "entry", stringifyJson(value))];
}
