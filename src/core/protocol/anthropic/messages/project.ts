import {
  countIn,
  fieldsOf,
  isFields,
  jsonText,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import type { Projection, Usage } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { assemble } from "./assemble.ts";
import { messageFrom } from "./blocks.ts";
import { toldCost } from "../../reading/told-cost.ts";

/** The neutral reading of a message, whole or streamed. */
export function projectMessage(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "json") return projectWhole(read.value);
  const { messages, errors } = assemble(read.events);
  const projection = projectMessages(messages);
  const all = [...projection.messages, ...errors.map(failureMessage)];
  return { ...projection, messages: all, events: read.events.length };
}

function projectWhole(value: unknown): Projection {
  const fields = fieldsOf(value);
  if (fields["type"] === "error" || fields["error"])
    return { messages: [failureMessage(fields["error"] ?? value)] };
  return isFields(value) && Array.isArray(fields["content"])
    ? projectMessages([value])
    : unreadable(jsonText(value));
}

/** Model, usage and reason are those of the last message; there is more than one only in a joined stream. */
function projectMessages(messages: readonly Fields[]): Projection {
  const last = messages.at(-1) ?? {};
  return present({
    messages: messages.map((message) => messageFrom(message, "assistant")),
    usage: usageFrom(last["usage"]),
    finishReason: textIn(last["stop_reason"]),
    model: textIn(last["model"]),
  });
}

/** The provider counts tokens read from or written to its cache apart from `input_tokens`. */
function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const fresh = countIn(value["input_tokens"]);
  const cached = countIn(value["cache_read_input_tokens"]);
  const stored = countIn(value["cache_creation_input_tokens"]);
  return present({
    inputTokens: fresh === undefined ? undefined : fresh + (cached ?? 0) + (stored ?? 0),
    outputTokens: countIn(value["output_tokens"]),
    cachedInputTokens: cached,
    // OpenRouter says so on this wire, too.
    costUsd: toldCost(value),
  });
}
