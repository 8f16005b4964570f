import type { Fields } from "../../../../core/base/lenient.ts";
import {
  createUnsupportedError,
  readExtras,
  convertOutputFormat,
  convertSettings,
  type SettingWords,
} from "../../request-parts.ts";
import { convertOpenaiEffort } from "../chat/request.ts";
import { getMediaAddress, getInlineMedia } from "../../../media.ts";
import { CUSTOM_CALL } from "./reading.ts";
import {
  type MediaPart,
  type Message,
  type TextPart,
  type ThinkingPart,
  type ToolCallPart,
  toolCallsOf,
  type ToolResultPart,
} from "../../../message.ts";
import type { ChatRequest, ChatSettings } from "../../../request.ts";
import type { ToolChoice, ToolDefinition } from "../../../tool.ts";
import { pickDefined } from "../../../../core/base/pick-defined.ts";

/** Writes a request for the Responses API. @throws ChatError "validation" for unsupported features */
export function buildResponsesBody(request: ChatRequest, model: string, stream: boolean): Fields {
  const { messages, tools = [], toolChoice, output, settings } = request;
  return {
    model,
    input: responseInput(messages),
    ...(tools.length > 0 && { tools: tools.map(responseTool) }),
    ...(toolChoice !== undefined && { tool_choice: responseChoice(toolChoice) }),
    ...(output && { text: { format: { type: "json_schema", ...convertOutputFormat(output) } } }),
    ...settingsOf(settings),
    stream,
  };
}

/** Writes a tool. `strict` is set explicitly, because the API's default is true and schemas need not support it. */
function responseTool({ name, description, parameters, strict = false }: ToolDefinition): Fields {
  return {
    type: "function",
    name,
    ...pickDefined({ description }),
    parameters: parameters ?? { type: "object", properties: {} },
    strict,
  };
}

function responseChoice(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", name: choice.tool };
}

const SETTINGS: SettingWords = {
  maxOutputTokens: "max_output_tokens",
  temperature: "temperature",
  topP: "top_p",
  parallelToolCalls: "parallel_tool_calls",
};

function settingsOf(settings: ChatSettings = {}): Fields {
  const sent = convertSettings(SETTINGS, "The Responses API of OpenAI", settings);
  const { thinking } = settings;
  if (thinking !== undefined && typeof thinking !== "string")
    throw createUnsupportedError(
      "OpenAI",
      "settings.thinking",
      "limit thinking by tokens",
      "Give an effort instead.",
    );
  const effort = thinking === undefined ? undefined : convertOpenaiEffort(thinking);
  return { ...sent, ...(effort !== undefined && { reasoning: { effort } }) };
}

/** Writes the conversation as input items. @throws ChatError "validation" for unsupported parts */
function responseInput(messages: readonly Message[]): readonly Fields[] {
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

const isCustom = (part: ToolCallPart): boolean => readExtras("openai", part)["type"] === CUSTOM_CALL;

/** Writes a message as items. Parts that are separate items split the message, so that the order is kept. */
function itemsOf(message: Message, where: string): Fields[] {
  const items: Fields[] = [];
  let content: Fields[] = [];
  const close = (): void => {
    if (content.length > 0) items.push({ role: message.role, content, ...readExtras("openai", message) });
    content = [];
  };
  for (const [index, part] of message.parts.entries()) {
    const at = `${where}.parts[${index}]`;
    if (part.type === "tool-result" || part.type === "tool-call" || part.type === "thinking") {
      close();
      items.push(...itemsOfPart(part, at));
    } else content.push(contentOf(part, message, at));
  }
  close();
  return items;
}

function itemsOfPart(part: ToolResultPart | ToolCallPart | ThinkingPart, where: string): Fields[] {
  if (part.type === "tool-result") return [resultItem(part, where)];
  if (part.type === "tool-call") {
    const { id: call_id, name, arguments: text } = part;
    const given = isCustom(part) ? { input: text } : { arguments: text };
    return [{ type: "function_call", call_id, name, ...given, ...readExtras("openai", part) }];
  }
  const { id } = readExtras("openai", part);
  // Only thoughts with an ID of this provider can be sent back.
  if (typeof id !== "string") return [];
  const summary = part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
  const sealed = part.signature === undefined ? {} : { encrypted_content: part.signature };
  return [{ type: "reasoning", id, summary, ...sealed }];
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
          ...readExtras("openai", one),
        }));
  return { type: "function_call_output", call_id: part.callId, output, ...readExtras("openai", part) };
}

function contentOf(part: TextPart | MediaPart, { role }: Message, where: string): Fields {
  if (part.type === "text") {
    const type = role === "assistant" ? "output_text" : "input_text";
    return { type, text: part.text, ...readExtras("openai", part) };
  }
  if (role === "assistant")
    throw createUnsupportedError("OpenAI", where, `take ${part.type} in a message of the assistant`);
  return { ...mediaOf(part, where), ...readExtras("openai", part) };
}

function mediaOf(part: MediaPart, where: string): Fields {
  const url = getMediaAddress(part);
  if (part.type === "image") {
    const source = part.source.kind === "id" ? { file_id: part.source.id } : { image_url: url };
    return { type: "input_image", ...source, detail: part.detail ?? "auto" };
  }
  if (part.type !== "file") throw createUnsupportedError("OpenAI", where, `take ${part.type} in responses`);
  if (part.source.kind === "id") return { type: "input_file", file_id: part.source.id };
  if (getInlineMedia(part) === undefined) return { type: "input_file", file_url: url };
  return { type: "input_file", filename: part.name ?? "file", file_data: url };
}
