import { countIn, fieldsOf, isFields, jsonText, listOf, present, textIn } from "../lenient.ts";
import type { Projection, Usage } from "../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../reply.ts";
import { assemble } from "./assemble.ts";
import { messageFrom } from "./message.ts";

/** The neutral reading of a chat completion, whole or streamed. */
export function projectChat(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "json") return projectCompletion(read.value);
  const { completion, errors } = assemble(read.events);
  const projection = projectChoices(completion);
  const messages = [...projection.messages, ...errors.map(failureMessage)];
  return { ...projection, messages, events: read.events.length };
}

function projectCompletion(value: unknown): Projection {
  const fields = fieldsOf(value);
  if (fields["error"]) return { ...projectChoices(value), messages: [failureMessage(fields["error"])] };
  return isFields(value) && Array.isArray(fields["choices"])
    ? projectChoices(value)
    : unreadable(jsonText(value));
}

function projectChoices(value: unknown): Projection {
  const fields = fieldsOf(value);
  const choices = listOf(fields["choices"]).map(fieldsOf);
  const reasons = new Set(choices.flatMap((choice) => textIn(choice["finish_reason"]) ?? []));
  return present({
    messages: choices.map((choice) => messageFrom(choice["message"], "assistant")),
    usage: usageFrom(fields["usage"]),
    finishReason: reasons.size > 0 ? [...reasons].join(", ") : undefined,
    model: textIn(fields["model"]),
  });
}

/** Cached tokens have other names at DeepSeek (`prompt_cache_hit_tokens`) and Moonshot (`cached_tokens`). */
function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const asked = fieldsOf(value["prompt_tokens_details"]);
  const answered = fieldsOf(value["completion_tokens_details"]);
  return present({
    inputTokens: countIn(value["prompt_tokens"]),
    outputTokens: countIn(value["completion_tokens"]),
    cachedInputTokens:
      countIn(asked["cached_tokens"]) ??
      countIn(value["prompt_cache_hit_tokens"]) ??
      countIn(value["cached_tokens"]),
    reasoningTokens: countIn(answered["reasoning_tokens"]),
  });
}
