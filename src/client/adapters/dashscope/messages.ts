import type { Fields } from "../../../core/protocol/reading/lenient.ts";
import { toolCallsOf, type MediaPart, type Message, type Part, type ToolResultPart } from "../../message.ts";
import { extrasFor } from "../extras.ts";
import { cannot } from "../limits-of-provider.ts";
import { addressOf } from "../media.ts";

const NAME = "DashScope";

/** Whether a conversation has anything to see or hear. */
export function hasMedia(messages: readonly Message[]): boolean {
  return messages.some(({ parts }) => parts.some(({ type }) => ["image", "audio", "video"].includes(type)));
}

/** The conversation as DashScope's own wire wants it. @throws ChatError "validation" for what has no place there. */
export function dashscopeMessages(messages: readonly Message[], multimodal: boolean): readonly Fields[] {
  return messages.flatMap((message, index) =>
    wireMessages(message, { multimodal, where: `messages[${index}]` }),
  );
}

interface At {
  readonly multimodal: boolean;
  readonly where: string;
}

function wireMessages(message: Message, at: At): Fields[] {
  const results = message.parts.flatMap((part, index) =>
    part.type === "tool-result" ? [resultMessage(part, { ...at, where: `${at.where}.parts[${index}]` })] : [],
  );
  const others = message.parts.filter(({ type }) => type !== "tool-result");
  if (others.length === 0 && results.length > 0) return results;
  const calls = toolCallsOf(message).map(({ id, name, arguments: text }) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  }));
  const thinking = others.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
  return [
    ...results,
    {
      role: message.role,
      content: contentOf(others, at),
      ...(thinking !== "" && { reasoning_content: thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...extrasFor("dashscope", message),
    },
  ];
}

function contentOf(parts: readonly Part[], { multimodal, where }: At): unknown {
  const said = parts.flatMap((part, index): Fields[] => {
    if (part.type === "text") return [{ text: part.text }];
    if (part.type === "thinking" || part.type === "tool-call" || part.type === "tool-result") return [];
    return [mediaPart(part, `${where}.parts[${index}]`)];
  });
  return multimodal ? said : said.map(({ text }) => text).join("");
}

function mediaPart(part: MediaPart, where: string): Fields {
  if (part.type === "file") throw cannot(NAME, where, "take files here");
  const address = part.source.kind === "id" ? part.source.id : addressOf(part);
  return { [part.type]: address };
}

function resultMessage({ callId, name, content }: ToolResultPart, { multimodal, where }: At): Fields {
  const texts =
    typeof content === "string"
      ? [content]
      : content.map((one) => {
          if (one.type === "text") return one.text;
          throw cannot(NAME, where, `take a tool's ${one.type}: only text may come back`);
        });
  return {
    role: "tool",
    tool_call_id: callId,
    content: multimodal ? texts.map((text) => ({ text })) : texts.join("\n"),
    ...(name !== undefined && { name }),
  };
}
