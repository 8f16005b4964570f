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
import type { Projection, Usage } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { toldCost } from "../../reading/told-cost.ts";
import { assemble } from "./assemble.ts";
import { itemParts } from "./items.ts";

/** The neutral reading of a response, whole or streamed: its items are one message. */
export function projectResponse(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "json") return projectWhole(read.value);
  const { response, errors } = assemble(read.events);
  const projection = projectItems(response);
  const messages = [...projection.messages, ...errors.map(failureMessage)];
  return { ...projection, messages, events: read.events.length };
}

function projectWhole(value: unknown): Projection {
  const fields = fieldsOf(value);
  const error = fields["error"];
  if (Array.isArray(fields["output"])) {
    const projection = projectItems(fields);
    return error ? { ...projection, messages: [...projection.messages, failureMessage(error)] } : projection;
  }
  return error ? { messages: [failureMessage(error)] } : unreadable(jsonText(value));
}

function projectItems(response: Fields): Projection {
  const parts = listOf(response["output"]).flatMap(itemParts);
  return present({
    messages: parts.length > 0 ? [{ role: "assistant", parts }] : [],
    usage: usageFrom(response["usage"]),
    finishReason: textIn(fieldsOf(response["incomplete_details"])["reason"]) ?? textIn(response["status"]),
    model: textIn(response["model"]),
  });
}

/** Token counts as the newer operations of OpenAI name them: responses, images and transcriptions. */
export function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  return present({
    inputTokens: countIn(value["input_tokens"]),
    outputTokens: countIn(value["output_tokens"]),
    cachedInputTokens: countIn(fieldsOf(value["input_tokens_details"])["cached_tokens"]),
    reasoningTokens: countIn(fieldsOf(value["output_tokens_details"])["reasoning_tokens"]),
    costUsd: toldCost(value),
  });
}
