import type { Fields } from "../../../core/protocol/reading/lenient.ts";
import type { ChatRequest, ChatSettings } from "../../request.ts";
import type { ToolDefinition } from "../../tool.ts";
import { cannot, refuseSettings } from "../limits-of-provider.ts";
import { refuseOtherTools, STRUCTURED_TOOL, structuredTool } from "../structured-tool.ts";
import { thinkingBudget } from "../thinking.ts";
import { anthropicToolChoice } from "../tool-choice.ts";
import { anthropicConversation } from "./messages.ts";

const NAME = "Anthropic";
/** The API insists on a limit; this is what is sent where the request has none. */
export const DEFAULT_MAX_TOKENS = 2048;

/** A request as messages want it. @throws ChatError "validation" for what the provider cannot do. */
export function anthropicBody(request: ChatRequest, model: string, stream: boolean): Fields {
  const { system, messages } = anthropicConversation(request.messages);
  if (messages.length === 0)
    throw cannot(NAME, "messages", "answer to system messages alone", "Add a message of the user.");
  return {
    model,
    ...limits(request),
    ...(system !== undefined && { system }),
    messages,
    ...tools(request),
    ...sampling(request.settings),
    stream,
  };
}

function tools(request: ChatRequest): Fields {
  refuseOtherTools(NAME, request);
  const { output, toolChoice, settings } = request;
  const given = output === undefined ? (request.tools ?? []) : [structuredTool(output)];
  const choice = output === undefined ? toolChoice : { tool: STRUCTURED_TOOL };
  const one = settings?.parallelToolCalls === undefined ? undefined : !settings.parallelToolCalls;
  const chosen = choice === undefined && one !== undefined && given.length > 0 ? "auto" : choice;
  return {
    ...(given.length > 0 && { tools: given.map(anthropicTool) }),
    ...(chosen !== undefined && {
      tool_choice: {
        ...anthropicToolChoice(chosen),
        ...(one !== undefined && chosen !== "none" && { disable_parallel_tool_use: one }),
      },
    }),
  };
}

function anthropicTool({ name, description, parameters, strict }: ToolDefinition): Fields {
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: parameters ?? { type: "object", properties: {} },
    ...(strict !== undefined && { strict }),
  };
}

/** Thinking is part of the answer's limit, so a limit that is not given leaves the default for the rest. */
function limits({ settings = {}, output }: ChatRequest): Fields {
  const { thinking, maxOutputTokens } = settings;
  if (thinking === undefined) return { max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS };
  const budget = thinkingBudget(thinking);
  if (budget === 0)
    return { max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS, thinking: { type: "disabled" } };
  if (output !== undefined)
    throw cannot(NAME, "settings.thinking", "think and give a structured answer: it is a forced tool call");
  const most = maxOutputTokens ?? budget + DEFAULT_MAX_TOKENS;
  if (most <= budget)
    throw cannot(
      NAME,
      "settings.maxOutputTokens",
      `spend ${budget} tokens on thinking within an answer of ${most}`,
      "Raise maxOutputTokens above the budget, or lower the effort.",
    );
  return { max_tokens: most, thinking: { type: "enabled", budget_tokens: budget } };
}

const UNKNOWN: readonly (keyof ChatSettings)[] = [
  "minP",
  "frequencyPenalty",
  "presencePenalty",
  "repetitionPenalty",
  "seed",
];

function sampling(settings: ChatSettings = {}): Fields {
  refuseSettings(NAME, settings, UNKNOWN);
  const { temperature, topP, topK, stop } = settings;
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(stop !== undefined && { stop_sequences: stop }),
  };
}
