import type { Fields } from "../../../../core/protocol/reading/lenient.ts";
import { jsonSchemaOf } from "../../../structured-output.ts";
import type { OutputSchema } from "../../../output-schema.ts";
import type { ChatRequest, ChatSettings } from "../../../request.ts";
import type { Surroundings } from "../../../surroundings.ts";
import type { ToolChoice, ToolDefinition } from "../../../tool.ts";
import { cannot, refuseSettings } from "../../limits-of-provider.ts";
import { openaiToolChoice } from "../../tool-choice.ts";
import { openaiEffort } from "../effort.ts";
import { chatMessages } from "./messages.ts";
import type { ChatFlavour } from "./flavour.ts";

/** A request as chat completions want it. @throws ChatError "validation" for what the provider cannot do. */
export function chatBody(
  request: ChatRequest,
  to: { readonly model: string; readonly flavour: ChatFlavour; readonly stream: boolean },
  log: Surroundings["log"],
): Fields {
  const { model, flavour, stream } = to;
  const { messages, tools = [], toolChoice, output, settings } = request;
  return {
    model,
    messages: chatMessages(messages, flavour),
    ...(tools.length > 0 && { tools: tools.map(chatTool) }),
    ...(toolChoice !== undefined && { tool_choice: openaiToolChoice(knownChoice(toolChoice, flavour, log)) }),
    ...(output && { response_format: { type: "json_schema", json_schema: formatOf(output) } }),
    ...sampling(settings, flavour),
    stream,
    ...(stream && { stream_options: { include_usage: true } }),
  };
}

/** A tool as chat completions and DashScope want it. */
export function chatTool({ name, description, parameters, strict }: ToolDefinition): Fields {
  const described = {
    name,
    ...(description !== undefined && { description }),
    parameters: parameters ?? { type: "object", properties: {} },
    ...(strict !== undefined && { strict }),
  };
  return { type: "function", function: described };
}

/** The name and the schema of a structured answer. */
export function formatOf(output: OutputSchema): Fields {
  const { $schema: _dialect, ...schema } = jsonSchemaOf(output);
  const { name = "output", description, strict } = output;
  return {
    name,
    schema,
    ...(description !== undefined && { description }),
    ...(strict !== undefined && { strict }),
  };
}

/** DashScope cannot require a call; it is left to the model, and said. */
export function knownChoice(
  choice: ToolChoice,
  flavour: Pick<ChatFlavour, "name" | "requiredChoice">,
  log: Surroundings["log"],
): ToolChoice {
  if (choice !== "required" || flavour.requiredChoice) return choice;
  const message = `'required' is not supported by ${flavour.name} API. It will be converted to 'auto'.`;
  log({ level: "warning", message });
  return "auto";
}

function sampling(settings: ChatSettings = {}, flavour: ChatFlavour): Fields {
  if (!flavour.moreSampling) refuseSettings(flavour.name, settings, ["topK", "minP", "repetitionPenalty"]);
  const { maxOutputTokens, temperature, topP, topK, minP, repetitionPenalty } = settings;
  const { frequencyPenalty, presencePenalty, stop, seed, parallelToolCalls } = settings;
  return {
    ...(maxOutputTokens !== undefined && { [flavour.tokenLimit]: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(minP !== undefined && { min_p: minP }),
    ...(repetitionPenalty !== undefined && { repetition_penalty: repetitionPenalty }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(stop !== undefined && { stop }),
    ...(seed !== undefined && { seed }),
    ...(parallelToolCalls !== undefined && { parallel_tool_calls: parallelToolCalls }),
    ...thinkingOf(settings, flavour),
  };
}

function thinkingOf({ thinking }: ChatSettings, flavour: ChatFlavour): Fields {
  if (thinking === undefined) return {};
  if (flavour.thinking === "switch")
    return typeof thinking === "string"
      ? { enable_thinking: thinking !== "off" }
      : { enable_thinking: thinking.budgetTokens > 0, thinking_budget: thinking.budgetTokens };
  if (typeof thinking !== "string")
    throw cannot(flavour.name, "settings.thinking", "limit thinking by tokens", "Give an effort instead.");
  const effort = openaiEffort(thinking);
  return effort === undefined ? {} : { reasoning_effort: effort };
}
