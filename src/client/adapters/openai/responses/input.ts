import type { Fields } from "../../../../core/protocol/reading/lenient.ts";
import {
  toolCallsOf,
  type MediaPart,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "../../../message.ts";
import { extrasFor } from "../../extras.ts";
import { cannot } from "../../limits-of-provider.ts";
import { addressOf, inlineOf } from "../../media.ts";
import { CUSTOM_CALL } from "./pieces.ts";

/** The conversation as items of input. @throws ChatError "validation" for parts that have no place there. */
export function responseInput(messages: readonly Message[]): readonly Fields[] {
  const custom = new Set(
    messages
      .flatMap(toolCallsOf)
      .filter(isCustom)
      .map(({ id }) => id),
  );
  return messages
    .flatMap((message, index) => itemsOf(message, `messages[${index}]`))
    .map((item) => {
      const answers = item["type"] === "function_call_output" && custom.has(String(item["call_id"]));
      return answers ? { ...item, type: "custom_tool_call_output" } : item;
    });
}

function isCustom(part: ToolCallPart): boolean {
  return extrasFor("openai", part)["type"] === CUSTOM_CALL;
}

/** Parts that are items of their own part the message around them, so that the order stays. */
function itemsOf(message: Message, where: string): Fields[] {
  const items: Fields[] = [];
  let content: Fields[] = [];
  const close = (): void => {
    if (content.length > 0) items.push({ role: message.role, content, ...extrasFor("openai", message) });
    content = [];
  };
  for (const [index, part] of message.parts.entries()) {
    const at = `${where}.parts[${index}]`;
    const item = itemOf(part, at);
    if (item === undefined) content.push(contentOf(part, message, at));
    else {
      close();
      items.push(...item);
    }
  }
  close();
  return items;
}

/** Undefined for what is part of a message. */
function itemOf(part: Part, where: string): Fields[] | undefined {
  if (part.type === "tool-result") return [resultItem(part, where)];
  if (part.type === "tool-call") {
    const { id: call_id, name, arguments: text } = part;
    const given = isCustom(part) ? { input: text } : { arguments: text };
    return [{ type: "function_call", call_id, name, ...given, ...extrasFor("openai", part) }];
  }
  if (part.type !== "thinking") return undefined;
  const own = extrasFor("openai", part);
  // Thoughts of another provider, or thoughts without a name here, mean nothing to this one.
  if (typeof own["id"] !== "string") return [];
  const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
  const sealed = part.signature === undefined ? {} : { encrypted_content: part.signature };
  return [{ type: "reasoning", id: own["id"], summary, ...sealed }];
}

function resultItem(part: ToolResultPart, where: string): Fields {
  const { content } = part;
  const output =
    typeof content === "string"
      ? content
      : content.map((one, index) => ({
          ...(one.type === "text"
            ? { type: "input_text", text: one.text }
            : mediaOf(one, `${where}.content[${index}]`)),
          ...extrasFor("openai", one),
        }));
  return { type: "function_call_output", call_id: part.callId, output, ...extrasFor("openai", part) };
}

function contentOf(part: Part, { role }: Message, where: string): Fields {
  if (part.type === "text") {
    const type = role === "assistant" ? "output_text" : "input_text";
    return { type, text: part.text, ...extrasFor("openai", part) };
  }
  if (part.type === "image" || part.type === "file" || part.type === "audio" || part.type === "video") {
    if (role === "assistant") throw cannot("OpenAI", where, `take back ${part.type} that the assistant said`);
    return { ...mediaOf(part, where), ...extrasFor("openai", part) };
  }
  throw cannot("OpenAI", where, `take a ${part.type} part there`);
}

function mediaOf(part: MediaPart, where: string): Fields {
  const url = addressOf(part);
  if (part.type === "image") {
    const source = part.source.kind === "id" ? { file_id: part.source.id } : { image_url: url };
    return { type: "input_image", ...source, detail: part.detail ?? "auto" };
  }
  if (part.type !== "file") throw cannot("OpenAI", where, `take ${part.type} in responses`);
  if (part.source.kind === "id") return { type: "input_file", file_id: part.source.id };
  if (inlineOf(part) === undefined) return { type: "input_file", file_url: url };
  return { type: "input_file", filename: part.name ?? "file", file_data: url };
}
