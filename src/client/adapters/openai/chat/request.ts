import type { Fields } from "../../../../core/base/lenient.ts";
import {
  createUnsupportedError,
  convertChatTool,
  readExtras,
  convertFunctionCall,
  convertOutputFormat,
  convertOpenaiToolChoice,
  convertSettings,
  type SettingWords,
  withResultsFirst,
  convertResultTexts,
} from "../../request-parts.ts";
import { getMediaAddress, getAudioFormat, getInlineMedia } from "../../../media.ts";
import type { MediaPart, Message, Part, ToolResultPart } from "../../../message.ts";
import type { ChatRequest, ChatSettings, ThinkingEffort } from "../../../request.ts";
import type { Surroundings } from "../../../surroundings.ts";
import type { ToolChoice } from "../../../tool.ts";
import { pickDefined } from "../../../../core/base/pick-defined.ts";

/** Writes a request for chat completions. @throws ChatError "validation" for unsupported features */
export function buildChatBody(
  request: ChatRequest,
  to: { readonly model: string; readonly flavour: ChatFlavour; readonly stream: boolean },
  log: Surroundings["log"],
): Fields {
  const { model, flavour, stream } = to;
  const { messages, tools = [], toolChoice, output, settings } = request;
  return {
    model,
    messages: chatMessages(messages, flavour),
    ...(tools.length > 0 && { tools: tools.map(convertChatTool) }),
    ...(toolChoice !== undefined && {
      tool_choice: convertOpenaiToolChoice(chooseSupportedChoice(toolChoice, flavour, log)),
    }),
    ...(output && { response_format: { type: "json_schema", json_schema: convertOutputFormat(output) } }),
    ...convertSettings(flavour.settings, flavour.name, settings),
    ...thinkingOf(settings, flavour),
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  };
}

/** Replaces a required call by "auto" and logs a warning if the provider does not support it (DashScope). */
export function chooseSupportedChoice(
  choice: ToolChoice,
  flavour: Pick<ChatFlavour, "name" | "requiredChoice">,
  log: Surroundings["log"],
): ToolChoice {
  if (choice !== "required" || flavour.requiredChoice) return choice;
  const message = `'required' is not supported by ${flavour.name} API. It will be converted to 'auto'.`;
  log({ level: "warning", message });
  return "auto";
}

function thinkingOf({ thinking }: ChatSettings = {}, flavour: ChatFlavour): Fields {
  if (thinking === undefined) return {};
  if (flavour.thinking === "switch")
    return typeof thinking === "string"
      ? { enable_thinking: thinking !== "off" }
      : { enable_thinking: thinking.budgetTokens > 0, thinking_budget: thinking.budgetTokens };
  if (typeof thinking !== "string")
    throw createUnsupportedError(
      flavour.name,
      "settings.thinking",
      "limit thinking by tokens",
      "Give an effort instead.",
    );
  const effort = convertOpenaiEffort(thinking);
  return effort === undefined ? {} : { reasoning_effort: effort };
}

/** Writes the conversation. @throws ChatError "validation" for unsupported parts */
function chatMessages(messages: readonly Message[], flavour: ChatFlavour): readonly Fields[] {
  return messages.flatMap((message, index) =>
    wireMessages(message, { flavour, where: `messages[${index}]` }),
  );
}

interface At {
  readonly flavour: ChatFlavour;
  readonly where: string;
}

function wireMessages(message: Message, at: At): Fields[] {
  const common = pickDefined({ name: message.name, ...readExtras("openai", message) });
  return withResultsFirst(message, at, toolMessage, () =>
    message.role === "assistant"
      ? { ...assistantMessage(message, at), ...common }
      : { role: message.role, content: contentOf(message.parts, at), ...common },
  );
}

/** Writes content. A single text part becomes a string, as users write it. */
function contentOf(parts: readonly Part[], at: At): unknown {
  const [first, ...rest] = parts;
  if (first?.type === "text" && rest.length === 0 && first.extras === undefined) return first.text;
  return parts.flatMap((part, index) =>
    part.type === "tool-result" ? [] : [contentPart(part, { ...at, where: `${at.where}.parts[${index}]` })],
  );
}

function contentPart(part: Exclude<Part, ToolResultPart>, at: At): Fields {
  const extras = readExtras("openai", part);
  if (part.type === "text") return { type: "text", text: part.text, ...extras };
  if (part.type === "thinking" || part.type === "tool-call")
    throw createUnsupportedError(
      at.flavour.name,
      at.where,
      `take a ${part.type} part from anyone but the assistant`,
    );
  return { ...mediaPart(part, at), ...extras };
}

function mediaPart(part: MediaPart, { flavour, where }: At): Fields {
  const url = getMediaAddress(part);
  const inline = getInlineMedia(part);
  if (part.type === "image") {
    if (url === undefined)
      throw createUnsupportedError(flavour.name, where, "take an image by the id of a file");
    return {
      type: "image_url",
      image_url: { url, ...pickDefined({ detail: part.detail }) },
    };
  }
  if (part.type === "audio") {
    if (inline === undefined)
      throw createUnsupportedError(flavour.name, where, "fetch audio: give its bytes");
    return {
      type: "input_audio",
      input_audio: { data: inline.data, format: getAudioFormat(inline.mediaType) },
    };
  }
  if (part.type === "video") {
    if (!flavour.video || url === undefined) throw createUnsupportedError(flavour.name, where, "take video");
    return { type: "video_url", video_url: { url } };
  }
  if (part.source.kind === "id") return { type: "file", file: { file_id: part.source.id } };
  if (inline === undefined)
    throw createUnsupportedError(flavour.name, where, "fetch files: give the bytes, or the id of a file");
  const file_data = `data:${inline.mediaType};base64,${inline.data}`;
  return { type: "file", file: { filename: part.name ?? "file", file_data } };
}

function toolMessage(part: ToolResultPart, { flavour, where }: At): Fields {
  const { callId, content } = part;
  const texts = convertResultTexts(content, flavour.name, where).map((text) => ({ type: "text", text }));
  const result = typeof content === "string" ? content : texts;
  return { role: "tool", tool_call_id: callId, content: result, ...readExtras("openai", part) };
}

/** Writes a message of the assistant. Thinking is sent in its original field; thoughts of other providers are omitted. */
function assistantMessage({ parts }: Message, at: At): Fields {
  const texts = parts.filter(({ type }) => type === "text");
  const unknown = parts.find(
    ({ type }) => !["text", "thinking", "tool-call", "audio", "tool-result"].includes(type),
  );
  if (unknown !== undefined)
    throw createUnsupportedError(
      at.flavour.name,
      `${at.where}.parts[${parts.indexOf(unknown)}]`,
      `take ${unknown.type} in a message of the assistant`,
    );
  const calls = parts
    .filter((part) => part.type === "tool-call")
    .map((part) => ({ ...convertFunctionCall(part), ...readExtras("openai", part) }));
  return {
    role: "assistant",
    content: texts.length === 0 ? null : contentOf(texts, at),
    ...thinkingFields(parts),
    ...audioField(parts),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}

function thinkingFields(parts: readonly Part[]): Fields {
  const fields: Record<string, string> = {};
  for (const part of parts) {
    const field = part.type === "thinking" ? readExtras("openai", part)["field"] : undefined;
    if (part.type === "thinking" && typeof field === "string")
      fields[field] = (fields[field] ?? "") + part.text;
  }
  return fields;
}

/** Refers to audio of the assistant by its ID, which is valid as long as the provider stores it. */
function audioField(parts: readonly Part[]): Fields {
  const ids = parts.flatMap((part) => (part.type === "audio" ? [readExtras("openai", part)["id"]] : []));
  const [id] = ids;
  return typeof id === "string" ? { audio: { id } } : {};
}

/** Differences between the providers of chat completions. */
export interface ChatFlavour {
  /** For people: "OpenAI". */
  readonly name: string;
  /** For errors, logs and traces: "openai". */
  readonly provider: string;
  readonly video: boolean;
  readonly settings: SettingWords;
  readonly thinking: "effort" | "switch";
  /** Whether a tool call can be required without naming the tool. */
  readonly requiredChoice: boolean;
}

const SETTINGS: SettingWords = {
  temperature: "temperature",
  topP: "top_p",
  frequencyPenalty: "frequency_penalty",
  presencePenalty: "presence_penalty",
  stop: "stop",
  seed: "seed",
  parallelToolCalls: "parallel_tool_calls",
};

export const OPENAI: ChatFlavour = {
  name: "OpenAI",
  provider: "openai",
  video: false,
  settings: { maxOutputTokens: "max_completion_tokens", ...SETTINGS },
  thinking: "effort",
  requiredChoice: true,
};

export const AZURE: ChatFlavour = { ...OPENAI, name: "Azure OpenAI", provider: "azure" };

/** Servers that extend OpenAI's API. */
export const COMPATIBLE: ChatFlavour = {
  ...OPENAI,
  name: "This provider",
  video: true,
  settings: {
    maxOutputTokens: "max_tokens",
    ...SETTINGS,
    topK: "top_k",
    minP: "min_p",
    repetitionPenalty: "repetition_penalty",
  },
};

export const DASHSCOPE_COMPATIBLE: ChatFlavour = {
  ...COMPATIBLE,
  name: "DashScope",
  provider: "dashscope",
  thinking: "switch",
  requiredChoice: false,
};

/** Returns OpenAI's name of an effort; undefined for "off", because not all models support "none". */
export function convertOpenaiEffort(effort: ThinkingEffort): string | undefined {
  if (effort === "off") return undefined;
  return effort === "max" ? "xhigh" : effort;
}
