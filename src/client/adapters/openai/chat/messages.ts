import type { Fields } from "../../../../core/protocol/reading/lenient.ts";
import type { MediaPart, Message, Part, ToolResultPart } from "../../../message.ts";
import { extrasFor } from "../../extras.ts";
import { cannot } from "../../limits-of-provider.ts";
import { addressOf, audioFormat, inlineOf } from "../../media.ts";
import type { ChatFlavour } from "./flavour.ts";

/** The conversation as chat completions want it. @throws ChatError "validation" for parts that have no place there. */
export function chatMessages(messages: readonly Message[], flavour: ChatFlavour): readonly Fields[] {
  return messages.flatMap((message, index) =>
    wireMessages(message, { flavour, where: `messages[${index}]` }),
  );
}

interface At {
  readonly flavour: ChatFlavour;
  readonly where: string;
}

function wireMessages(message: Message, at: At): Fields[] {
  const results = message.parts.flatMap((part, index) =>
    part.type === "tool-result" ? [toolMessage(part, { ...at, where: `${at.where}.parts[${index}]` })] : [],
  );
  const others = message.parts.filter(({ type }) => type !== "tool-result");
  if (others.length === 0 && results.length > 0) return results;
  const common = {
    ...(message.name !== undefined && { name: message.name }),
    ...extrasFor("openai", message),
  };
  if (message.role === "assistant") return [...results, { ...assistantMessage(message, at), ...common }];
  return [...results, { role: message.role, content: contentOf(message.parts, at), ...common }];
}

/** One text part is a bare text, as users write it. */
function contentOf(parts: readonly Part[], at: At): unknown {
  const [first, ...rest] = parts;
  if (first?.type === "text" && rest.length === 0 && first.extras === undefined) return first.text;
  return parts.flatMap((part, index) =>
    part.type === "tool-result" ? [] : [contentPart(part, { ...at, where: `${at.where}.parts[${index}]` })],
  );
}

function contentPart(part: Exclude<Part, ToolResultPart>, at: At): Fields {
  const extras = extrasFor("openai", part);
  if (part.type === "text") return { type: "text", text: part.text, ...extras };
  if (part.type === "thinking" || part.type === "tool-call")
    throw cannot(at.flavour.name, at.where, `take a ${part.type} part from anyone but the assistant`);
  return { ...mediaPart(part, at), ...extras };
}

function mediaPart(part: MediaPart, { flavour, where }: At): Fields {
  const url = addressOf(part);
  const inline = inlineOf(part);
  if (part.type === "image") {
    if (url === undefined) throw cannot(flavour.name, where, "take an image by the id of a file");
    return {
      type: "image_url",
      image_url: { url, ...(part.detail !== undefined && { detail: part.detail }) },
    };
  }
  if (part.type === "audio") {
    if (inline === undefined) throw cannot(flavour.name, where, "fetch audio: give its bytes");
    return { type: "input_audio", input_audio: { data: inline.data, format: audioFormat(inline.mediaType) } };
  }
  if (part.type === "video") {
    if (!flavour.video || url === undefined) throw cannot(flavour.name, where, "take video");
    return { type: "video_url", video_url: { url } };
  }
  if (part.source.kind === "id") return { type: "file", file: { file_id: part.source.id } };
  if (inline === undefined)
    throw cannot(flavour.name, where, "fetch files: give the bytes, or the id of a file");
  const file_data = `data:${inline.mediaType};base64,${inline.data}`;
  return { type: "file", file: { filename: part.name ?? "file", file_data } };
}

function toolMessage(part: ToolResultPart, at: At): Fields {
  const { content } = part;
  const text =
    typeof content === "string"
      ? content
      : content.map((one) => {
          if (one.type === "text") return { type: "text", text: one.text };
          throw cannot(at.flavour.name, at.where, `take a tool's ${one.type}: only text may come back`);
        });
  return { role: "tool", tool_call_id: part.callId, content: text, ...extrasFor("openai", part) };
}

/** Thinking goes back in the field in which it came; what came from another provider means nothing here. */
function assistantMessage({ parts }: Message, at: At): Fields {
  const said = parts.filter(({ type }) => type === "text");
  const unknown = parts.findIndex(
    ({ type }) => !["text", "thinking", "tool-call", "audio", "tool-result"].includes(type),
  );
  if (unknown >= 0)
    throw cannot(
      at.flavour.name,
      `${at.where}.parts[${unknown}]`,
      `take back ${parts[unknown]?.type ?? "it"} that the assistant said`,
    );
  const calls = parts.flatMap((part) =>
    part.type === "tool-call"
      ? [
          {
            id: part.id,
            type: "function",
            function: { name: part.name, arguments: part.arguments },
            ...extrasFor("openai", part),
          },
        ]
      : [],
  );
  return {
    role: "assistant",
    content: said.length === 0 ? null : contentOf(said, at),
    ...thinkingFields(parts),
    ...audioField(parts),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function thinkingFields(parts: readonly Part[]): Fields {
  const fields: Record<string, string> = {};
  for (const part of parts) {
    const field = part.type === "thinking" ? extrasFor("openai", part)["field"] : undefined;
    if (part.type === "thinking" && typeof field === "string")
      fields[field] = (fields[field] ?? "") + part.text;
  }
  return fields;
}

/** Audio that the assistant said is named by its id, for as long as the provider keeps it. */
function audioField(parts: readonly Part[]): Fields {
  const ids = parts.flatMap((part) => (part.type === "audio" ? [extrasFor("openai", part)["id"]] : []));
  const [id] = ids;
  return typeof id === "string" ? { audio: { id } } : {};
}
