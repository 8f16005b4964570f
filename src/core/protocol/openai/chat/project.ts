import {
  countIn,
  fieldsOf,
  isFields,
  jsonText,
  listOf,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import { citationParts } from "../../reading/citations.ts";
import type { Projection, Usage } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { toldCost } from "../../reading/told-cost.ts";
import { assemble } from "./assemble.ts";
import { messageFrom } from "./message.ts";
import { errorOf } from "./stream.ts";

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
  const error = errorOf(fields);
  if (error !== undefined) return { ...projectChoices(value), messages: [failureMessage(error)] };
  return isFields(value) && Array.isArray(fields["choices"])
    ? projectChoices(value)
    : unreadable(jsonText(value));
}

function projectChoices(value: unknown): Projection {
  const fields = fieldsOf(value);
  const choices = listOf(fields["choices"]).map(fieldsOf);
  const reasons = new Set(choices.flatMap((choice) => textIn(choice["finish_reason"]) ?? []));
  // xAI names the pages that an answer is based on beside its choices (docs.x.ai/docs/guides/live-search, 2026-11).
  const cited = citationParts(fields["citations"]);
  return present({
    messages: choices.map((choice) => {
      const message = messageFrom(choice["message"], "assistant");
      return cited.length === 0 ? message : { ...message, parts: [...message.parts, ...cited] };
    }),
    usage: usageFrom(fields["usage"]),
    finishReason: reasons.size > 0 ? [...reasons].join(", ") : undefined,
    model: textIn(fields["model"]),
  });
}

/** Cached tokens have other names at DeepSeek (`prompt_cache_hit_tokens`) and Moonshot (`cached_tokens`). */
export function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const asked = fieldsOf(value["prompt_tokens_details"]);
  const thought = countIn(fieldsOf(value["completion_tokens_details"])["reasoning_tokens"]);
  return present({
    inputTokens: countIn(value["prompt_tokens"]),
    outputTokens: outputTokens(value, thought),
    cachedInputTokens:
      countIn(asked["cached_tokens"]) ??
      countIn(value["prompt_cache_hit_tokens"]) ??
      countIn(value["cached_tokens"]),
    reasoningTokens: thought,
    costUsd: toldCost(value),
  });
}

/** xAI counts thoughts beside the answer, not as part of it: only then do the three make the total. */
function outputTokens(usage: Fields, thought: number | undefined): number | undefined {
  const asked = countIn(usage["prompt_tokens"]);
  const said = countIn(usage["completion_tokens"]);
  if (asked === undefined || said === undefined || thought === undefined) return said;
  return asked + said + thought === usage["total_tokens"] ? said + thought : said;
}
