import type { Fields } from "../../../core/protocol/reading/lenient.ts";
import { toolCallsOf, type Message, type ToolResultPart } from "../../message.ts";
import { parseArguments } from "../../tool-arguments.ts";
import { extrasFor } from "../extras.ts";
import { cannot } from "../limits-of-provider.ts";
import { inlineOf } from "../media.ts";

const NAME = "Ollama";

/** The conversation as Ollama wants it. @throws ChatError "validation" for parts that have no place there. */
export function ollamaMessages(messages: readonly Message[]): readonly Fields[] {
  const names = new Map(messages.flatMap(toolCallsOf).map(({ id, name }) => [id, name]));
  return messages.flatMap((message, index) => wireMessages(message, { names, where: `messages[${index}]` }));
}

interface At {
  readonly where: string;
  readonly names: ReadonlyMap<string, string>;
}

function wireMessages(message: Message, at: At): Fields[] {
  const results = message.parts.flatMap((part, index) =>
    part.type === "tool-result" ? [resultMessage(part, { ...at, where: `${at.where}.parts[${index}]` })] : [],
  );
  const others = message.parts.filter(({ type }) => type !== "tool-result");
  if (others.length === 0 && results.length > 0) return results;
  const thinking = others.flatMap((part) => (part.type === "thinking" ? [part.text] : [])).join("");
  const images = imagesOf(message, at.where);
  const calls = toolCallsOf(message).map((call) => ({
    function: { name: call.name, arguments: parseArguments(call) },
  }));
  return [
    ...results,
    {
      role: message.role,
      content: others.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
      ...(thinking !== "" && { thinking }),
      ...(images.length > 0 && { images }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...extrasFor("ollama", message),
    },
  ];
}

function imagesOf({ parts }: Message, where: string): readonly string[] {
  return parts.flatMap((part, index) => {
    const at = `${where}.parts[${index}]`;
    if (part.type === "audio" || part.type === "video" || part.type === "file")
      throw cannot(NAME, at, `take ${part.type}`);
    if (part.type !== "image") return [];
    const inline = inlineOf(part);
    if (inline === undefined) throw cannot(NAME, at, "fetch images: give the bytes");
    return [inline.data];
  });
}

function resultMessage({ callId, name, content }: ToolResultPart, { where, names }: At): Fields {
  const called = name ?? names.get(callId);
  const text =
    typeof content === "string"
      ? content
      : content
          .map((one) => {
            if (one.type === "text") return one.text;
            throw cannot(NAME, where, `take a tool's ${one.type}: only text may come back`);
          })
          .join("\n");
  return { role: "tool", content: text, ...(called !== undefined && { tool_name: called }) };
}
