import type { Fields } from "../../../core/protocol/reading/lenient.ts";
import type { ChatRequest, ChatSettings } from "../../request.ts";
import type { Surroundings } from "../../surroundings.ts";
import { refuseSettings } from "../limits-of-provider.ts";
import { DASHSCOPE_COMPATIBLE } from "../openai/chat/flavour.ts";
import { chatTool, knownChoice } from "../openai/chat/request.ts";
import { refuseOtherTools, STRUCTURED_TOOL, structuredTool } from "../structured-tool.ts";
import { openaiToolChoice } from "../tool-choice.ts";
import { dashscopeMessages, hasMedia } from "./messages.ts";
import type { DashscopeCall } from "./send.ts";

const NAME = "DashScope";

/** A request as DashScope's own wire wants it. @throws ChatError "validation" for what it cannot do. */
export function dashscopeCall(
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
      ...sampling(request.settings),
    },
    stream,
  };
}

/** Answers with thinking are only given as streams. */
export function thinks({ settings }: ChatRequest): boolean {
  const thinking = settings?.thinking;
  if (thinking === undefined || thinking === "off") return false;
  return typeof thinking === "string" || thinking.budgetTokens > 0;
}

function tools(request: ChatRequest, log: Surroundings["log"]): Fields {
  refuseOtherTools(NAME, request);
  const { output, toolChoice } = request;
  const given = output === undefined ? (request.tools ?? []) : [structuredTool(output)];
  const choice = output === undefined ? toolChoice : { tool: STRUCTURED_TOOL };
  return {
    ...(given.length > 0 && { tools: given.map(chatTool) }),
    ...(choice !== undefined && {
      tool_choice: openaiToolChoice(knownChoice(choice, DASHSCOPE_COMPATIBLE, log)),
    }),
  };
}

function sampling(settings: ChatSettings = {}): Fields {
  refuseSettings(NAME, settings, ["minP", "frequencyPenalty"]);
  const { maxOutputTokens, temperature, topP, topK, repetitionPenalty, presencePenalty } = settings;
  const { stop, seed, parallelToolCalls, thinking } = settings;
  return {
    ...(maxOutputTokens !== undefined && { max_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(repetitionPenalty !== undefined && { repetition_penalty: repetitionPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(stop !== undefined && { stop }),
    ...(seed !== undefined && { seed }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(thinking !== undefined && { enable_thinking: thinks({ messages: [], settings }) }),
    ...(typeof thinking === "object" &&
      thinking.budgetTokens > 0 && { thinking_budget: thinking.budgetTokens }),
  };
}
