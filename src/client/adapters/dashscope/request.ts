import type { Fields } from "../../../core/base/lenient.ts";
import type { DashscopeCall } from "./send.ts";
import {
  createUnsupportedError,
  convertChatTool,
  readExtras,
  convertFunctionCall,
  joinThoughts,
  convertOpenaiToolChoice,
  convertSettings,
  type SettingWords,
  chooseToolsOrAnswer,
  withResultsFirst,
  convertResultTexts,
} from "../request-parts.ts";
import { DASHSCOPE_COMPATIBLE, chooseSupportedChoice } from "../openai/chat/request.ts";
import { getMediaAddress } from "../../media.ts";
import { type MediaPart, type Message, type Part, toolCallsOf, type ToolResultPart } from "../../message.ts";
import type { ChatRequest, ChatSettings } from "../../request.ts";
import type { Surroundings } from "../../surroundings.ts";
import { pickDefined } from "../../../core/base/pick-defined.ts";

const NAME = "DashScope";

/** Writes a request for DashScope's native API. @throws ChatError "validation" for unsupported features */
export function buildDashscopeCall(
  request: ChatRequest,
  to: { readonly model: string; readonly stream: boolean },
  log: Surroundings["log"],
): DashscopeCall & Fields {
  const { model, stream } = to;
  const multimodal = model.startsWith("qvq") || model.includes("-vl") || hasMedia(request.messages);
  return {
    endpoint: multimodal ? "multimodal" : "generation",
    model,
    messages: dashscopeMessages(request.messages, multimodal),
    parameters: {
      result_format: "message",
      ...(stream && { incremental_output: true }),
      ...tools(request, log),
      ...convertSettings(SETTINGS, NAME, request.settings),
      ...thinkingOf(request.settings),
    },
    stream,
  };
}

/** Whether a request asks for thinking, which the provider only streams. */
export function thinks({ settings }: ChatRequest): boolean {
  return settings?.thinking !== undefined && isThinking(settings.thinking);
}

function isThinking(thinking: NonNullable<ChatSettings["thinking"]>): boolean {
  return typeof thinking === "string" ? thinking !== "off" : thinking.budgetTokens > 0;
}

function tools(request: ChatRequest, log: Surroundings["log"]): Fields {
  const { given, choice } = chooseToolsOrAnswer(NAME, request);
  return {
    ...(given.length > 0 && { tools: given.map(convertChatTool) }),
    ...(choice !== undefined && {
      tool_choice: convertOpenaiToolChoice(chooseSupportedChoice(choice, DASHSCOPE_COMPATIBLE, log)),
    }),
  };
}

const SETTINGS: SettingWords = {
  maxOutputTokens: "max_tokens",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  repetitionPenalty: "repetition_penalty",
  presencePenalty: "presence_penalty",
  stop: "stop",
  seed: "seed",
  parallelToolCalls: "parallel_tool_calls",
};

function thinkingOf({ thinking }: ChatSettings = {}): Fields {
  if (thinking === undefined) return {};
  const budget = typeof thinking === "object" ? thinking.budgetTokens : 0;
  return { enable_thinking: isThinking(thinking), ...(budget > 0 && { thinking_budget: budget }) };
}

function hasMedia(messages: readonly Message[]): boolean {
  return messages.some(({ parts }) => parts.some(({ type }) => ["image", "audio", "video"].includes(type)));
}

/** Writes the conversation. @throws ChatError "validation" for unsupported parts */
function dashscopeMessages(messages: readonly Message[], multimodal: boolean): readonly Fields[] {
  return messages.flatMap((message, index) =>
    wireMessages(message, { multimodal, where: `messages[${index}]` }),
  );
}

interface At {
  readonly multimodal: boolean;
  readonly where: string;
}

function wireMessages(message: Message, at: At): Fields[] {
  return withResultsFirst(message, at, resultMessage, (others) => {
    const calls = toolCallsOf(message).map(convertFunctionCall);
    const thinking = joinThoughts(others);
    return {
      role: message.role,
      content: contentOf(others, at),
      ...(thinking !== "" && { reasoning_content: thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
      ...readExtras("dashscope", message),
    };
  });
}

function contentOf(parts: readonly Part[], { multimodal, where }: At): unknown {
  const contents = parts.flatMap((part, index): Fields[] => {
    if (part.type === "text") return [{ text: part.text }];
    if (part.type === "thinking" || part.type === "tool-call" || part.type === "tool-result") return [];
    return [mediaPart(part, `${where}.parts[${index}]`)];
  });
  return multimodal ? contents : contents.map(({ text }) => text).join("");
}

function mediaPart(part: MediaPart, where: string): Fields {
  if (part.type === "file") throw createUnsupportedError(NAME, where, "take files here");
  const address = part.source.kind === "id" ? part.source.id : getMediaAddress(part);
  return { [part.type]: address };
}

function resultMessage({ callId, name, content }: ToolResultPart, { multimodal, where }: At): Fields {
  const texts = convertResultTexts(content, NAME, where);
  const result = multimodal ? texts.map((text) => ({ text })) : texts.join("\n");
  return pickDefined({ role: "tool", tool_call_id: callId, content: result, name });
}
