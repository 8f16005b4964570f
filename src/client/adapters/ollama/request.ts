import type { Fields } from "../../../core/base/lenient.ts";
import {
  createUnsupportedError,
  convertChatTool,
  readExtras,
  joinThoughts,
  convertOutputFormat,
  convertSettings,
  type SettingWords,
  mapNamesOfCalls,
  withResultsFirst,
  convertResultTexts,
} from "../request-parts.ts";
import { getInlineMedia } from "../../media.ts";
import { type Message, toolCallsOf, type ToolResultPart, textOf } from "../../message.ts";
import type { ChatRequest, ChatSettings } from "../../request.ts";
import type { Surroundings } from "../../surroundings.ts";
import { parseArguments } from "../../tool.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

const NAME = "Ollama";

/** Writes a request for Ollama. @throws ChatError "validation" for unsupported features */
export function buildOllamaBody(
  request: ChatRequest,
  to: { readonly model: string; readonly stream: boolean },
  log: Surroundings["log"],
): Fields {
  const { messages, output, settings = {} } = request;
  const options = convertSettings(SETTINGS, NAME, settings);
  const tools = toolsOf(request, log);
  const think = thinkOf(settings);
  return {
    model: to.model,
    messages: ollamaMessages(messages),
    ...(tools.length > 0 && { tools }),
    ...(output && { format: convertOutputFormat(output)["schema"] }),
    ...(Object.keys(options).length > 0 && { options }),
    ...pickDefined({ think }),
    stream: to.stream,
  };
}

/** Writes the tools. Ollama has no tool choice: "none" sends no tools, and a choice that forces a call logs a warning. */
function toolsOf({ tools = [], toolChoice }: ChatRequest, log: Surroundings["log"]): readonly Fields[] {
  if (toolChoice === "none") return [];
  if (toolChoice !== undefined && toolChoice !== "auto")
    log({ level: "warning", message: "Ollama does not support tool_choice yet, ignored." });
  return tools.map(convertChatTool);
}

const SETTINGS: SettingWords = {
  maxOutputTokens: "num_predict",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  minP: "min_p",
  seed: "seed",
  stop: "stop",
  repetitionPenalty: "repeat_penalty",
  frequencyPenalty: "frequency_penalty",
  presencePenalty: "presence_penalty",
};

/** Writes the effort. Ollama's highest is "high"; models without efforts treat any of them as on. */
function thinkOf({ thinking }: ChatSettings): boolean | string | undefined {
  if (thinking === undefined) return undefined;
  if (typeof thinking !== "string")
    throw createUnsupportedError(
      NAME,
      "settings.thinking",
      "limit thinking by tokens",
      "Give an effort instead.",
    );
  if (thinking === "off") return false;
  return thinking === "xhigh" || thinking === "max" ? "high" : thinking;
}

/** Writes the conversation. @throws ChatError "validation" for unsupported parts */
function ollamaMessages(messages: readonly Message[]): readonly Fields[] {
  const names = mapNamesOfCalls(messages);
  return messages.flatMap((message, index) => wireMessages(message, { names, where: `messages[${index}]` }));
}

interface At {
  readonly where: string;
  readonly names: ReadonlyMap<string, string>;
}

function wireMessages(message: Message, at: At): Fields[] {
  return withResultsFirst(message, at, resultMessage, (others) => {
    const thinking = joinThoughts(others);
    const images = imagesOf(message, at.where);
    const calls = toolCallsOf(message).map((call) => ({
      function: { name: call.name, arguments: parseArguments(call) },
    }));
    return {
      role: message.role,
      content: textOf(message),
      ...(thinking !== "" && { thinking }),
      ...(images.length > 0 && { images }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...readExtras("ollama", message),
    };
  });
}

function imagesOf({ parts }: Message, where: string): readonly string[] {
  return parts.flatMap((part, index) => {
    const at = `${where}.parts[${index}]`;
    if (part.type === "audio" || part.type === "video" || part.type === "file")
      throw createUnsupportedError(NAME, at, `take ${part.type}`);
    if (part.type !== "image") return [];
    const inline = getInlineMedia(part);
    if (inline === undefined) throw createUnsupportedError(NAME, at, "fetch images: give the bytes");
    return [inline.data];
  });
}

function resultMessage({ callId, name, content }: ToolResultPart, { where, names }: At): Fields {
  const tool_name = name ?? names.get(callId);
  const text = convertResultTexts(content, NAME, where).join("\n");
  return pickDefined({ role: "tool", content: text, tool_name });
}
