import type { Fields } from "../../../../core/protocol/reading/lenient.ts";
import type { ChatRequest, ChatSettings } from "../../../request.ts";
import type { ToolChoice, ToolDefinition } from "../../../tool.ts";
import { cannot, refuseSettings } from "../../limits-of-provider.ts";
import { formatOf } from "../chat/request.ts";
import { openaiEffort } from "../effort.ts";
import { responseInput } from "./input.ts";

/** A request as the Responses API wants it. @throws ChatError "validation" for what it cannot do. */
export function responsesBody(request: ChatRequest, model: string, stream: boolean): Fields {
  const { messages, tools = [], toolChoice, output, settings } = request;
  return {
    model,
    input: responseInput(messages),
    ...(tools.length > 0 && { tools: tools.map(responseTool) }),
    ...(toolChoice !== undefined && { tool_choice: responseChoice(toolChoice) }),
    ...(output && { text: { format: { type: "json_schema", ...formatOf(output) } } }),
    ...sampling(settings),
    stream,
  };
}

/** Here strictness is on unless it is said otherwise; our schemas need not fit it. */
function responseTool({ name, description, parameters, strict = false }: ToolDefinition): Fields {
  return {
    type: "function",
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? { type: "object", properties: {} },
    strict,
  };
}

function responseChoice(choice: ToolChoice): unknown {
  return typeof choice === "string" ? choice : { type: "function", name: choice.tool };
}

const UNKNOWN: readonly (keyof ChatSettings)[] = [
  "topK",
  "minP",
  "repetitionPenalty",
  "frequencyPenalty",
  "presencePenalty",
  "stop",
  "seed",
];

function sampling(settings: ChatSettings = {}): Fields {
  refuseSettings("The Responses API of OpenAI", settings, UNKNOWN);
  const { maxOutputTokens, temperature, topP, parallelToolCalls, thinking } = settings;
  if (thinking !== undefined && typeof thinking !== "string")
    throw cannot("OpenAI", "settings.thinking", "limit thinking by tokens", "Give an effort instead.");
  const effort = thinking === undefined ? undefined : openaiEffort(thinking);
  return {
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...(effort !== undefined && { reasoning: { effort } }),
  };
}
