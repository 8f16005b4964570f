import type { Fields } from "../../../core/protocol/reading/lenient.ts";
import type { ChatRequest, ChatSettings } from "../../request.ts";
import type { ToolDefinition } from "../../tool.ts";
import { cannot, refuseSettings } from "../limits-of-provider.ts";
import { formatOf } from "../openai/chat/request.ts";
import { thinkingBudget } from "../thinking.ts";
import { geminiToolConfig } from "../tool-choice.ts";
import { geminiConversation } from "./contents.ts";

const NAME = "Gemini";

/** A request in the words of the SDK. @throws ChatError "validation" for what the provider cannot do. */
export function geminiBody(request: ChatRequest, model: string): Fields {
  const { systemInstruction, contents } = geminiConversation(request.messages);
  if (contents.length === 0)
    throw cannot(NAME, "messages", "answer to system messages alone", "Add a message of the user.");
  const { tools = [], toolChoice, output, settings } = request;
  return {
    model,
    contents,
    config: {
      ...(systemInstruction && { systemInstruction }),
      ...(tools.length > 0 && { tools: [{ functionDeclarations: tools.map(declaration) }] }),
      ...(toolChoice !== undefined && { toolConfig: geminiToolConfig(toolChoice) }),
      ...(output && {
        responseMimeType: "application/json",
        responseJsonSchema: formatOf(output)["schema"],
      }),
      ...sampling(settings),
    },
  };
}

function declaration({ name, description, parameters }: ToolDefinition): Fields {
  return {
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parametersJsonSchema: parameters }),
  };
}

function sampling(settings: ChatSettings = {}): Fields {
  refuseSettings(NAME, settings, ["minP", "repetitionPenalty", "parallelToolCalls"]);
  const { maxOutputTokens, temperature, topP, topK, seed, stop } = settings;
  const { frequencyPenalty, presencePenalty, thinking } = settings;
  const budget = thinking === undefined ? undefined : thinkingBudget(thinking);
  return {
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(topK !== undefined && { topK }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { stopSequences: stop }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(budget !== undefined && {
      thinkingConfig: { thinkingBudget: budget, ...(budget > 0 && { includeThoughts: true }) },
    }),
  };
}
