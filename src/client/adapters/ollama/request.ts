import type { Fields } from "../../../core/protocol/reading/lenient.ts";
import type { ChatRequest, ChatSettings } from "../../request.ts";
import type { Surroundings } from "../../surroundings.ts";
import { cannot, refuseSettings } from "../limits-of-provider.ts";
import { chatTool, formatOf } from "../openai/chat/request.ts";
import { ollamaMessages } from "./messages.ts";

const NAME = "Ollama";

/** A request as Ollama wants it. @throws ChatError "validation" for what it cannot do. */
export function ollamaBody(
  request: ChatRequest,
  to: { readonly model: string; readonly stream: boolean },
  log: Surroundings["log"],
): Fields {
  const { messages, output, settings = {} } = request;
  const options = optionsOf(settings);
  const tools = toolsOf(request, log);
  const think = thinkOf(settings);
  return {
    model: to.model,
    messages: ollamaMessages(messages),
    ...(tools.length > 0 && { tools }),
    ...(output && { format: formatOf(output)["schema"] }),
    ...(Object.keys(options).length > 0 && { options }),
    ...(think !== undefined && { think }),
    stream: to.stream,
  };
}

/** A choice cannot be sent. None at all is kept by sending no tools; one that forces a call is said to be left out. */
function toolsOf({ tools = [], toolChoice }: ChatRequest, log: Surroundings["log"]): readonly Fields[] {
  if (toolChoice === "none") return [];
  if (toolChoice !== undefined && toolChoice !== "auto")
    log({ level: "warning", message: "Ollama does not support tool_choice yet, ignored." });
  return tools.map(chatTool);
}

function optionsOf(settings: ChatSettings): Fields {
  refuseSettings(NAME, settings, ["parallelToolCalls"]);
  const { maxOutputTokens, temperature, topP, topK, minP, seed, stop } = settings;
  const { repetitionPenalty, frequencyPenalty, presencePenalty } = settings;
  return {
    ...(maxOutputTokens !== undefined && { num_predict: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: topK }),
    ...(minP !== undefined && { min_p: minP }),
    ...(seed !== undefined && { seed }),
    ...(stop !== undefined && { stop }),
    ...(repetitionPenalty !== undefined && { repeat_penalty: repetitionPenalty }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
  };
}

/** Its efforts end at "high"; a model that only knows on and off takes any of them as on. */
function thinkOf({ thinking }: ChatSettings): boolean | string | undefined {
  if (thinking === undefined) return undefined;
  if (typeof thinking !== "string")
    throw cannot(NAME, "settings.thinking", "limit thinking by tokens", "Give an effort instead.");
  if (thinking === "off") return false;
  return thinking === "xhigh" || thinking === "max" ? "high" : thinking;
}
