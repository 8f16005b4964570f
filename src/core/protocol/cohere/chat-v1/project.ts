import {
  countIn,
  fieldsOf,
  jsonIn,
  jsonText,
  listOf,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import type { Part, Projection, Usage } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";

/** The neutral reading of a reply, whole or streamed. What was streamed counts where its end did not come. */
export function projectChatV1(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "json") return projectWhole(fieldsOf(read.value), read.value);
  const events = read.events.map(({ data }) => fieldsOf(jsonIn(data)));
  const end = events.find((event) => event["event_type"] === "stream-end");
  const streamed = {
    text: events.map((event) => (event["event_type"] === "text-generation" ? event["text"] : "")).join(""),
    tool_calls: events.flatMap((event) =>
      event["event_type"] === "tool-calls-generation" ? listOf(event["tool_calls"]) : [],
    ),
  };
  const whole = { ...streamed, ...fieldsOf(end?.["response"]) };
  const projection = projectReply(end === undefined ? whole : { ...end, ...whole });
  const failures = events.filter(isFailure).map(failureMessage);
  return { ...projection, messages: [...projection.messages, ...failures], events: events.length };
}

function projectWhole(fields: Fields, value: unknown): Projection {
  if (typeof fields["text"] === "string") return projectReply(fields);
  return isFailure(fields) ? { messages: [failureMessage(fields)] } : unreadable(jsonText(value));
}

/** Events of a stream have a type, and a failure is none of them. */
export function isFailure(fields: Fields): boolean {
  return fields["event_type"] === undefined && typeof fields["message"] === "string";
}

function projectReply(fields: Fields): Projection {
  const text = textIn(fields["text"]);
  const cited = listOf(fields["citations"]).map((one) => {
    const { text: passage, document_ids: ids } = fieldsOf(one);
    return `${jsonText(passage)}: ${listOf(ids).join(", ")}`;
  });
  const parts: Part[] = [
    ...(text === undefined ? [] : [{ type: "text", text } as const]),
    ...listOf(fields["tool_calls"]).map(callPart),
    ...(cited.length === 0
      ? []
      : [{ type: "other", description: "citations", text: cited.join("\n") } as const]),
  ];
  return present({
    messages: [{ role: "assistant", parts }],
    usage: usageFrom(fieldsOf(fields["meta"])),
    finishReason: textIn(fields["finish_reason"]),
  });
}

/** `billed_units` leaves out what Cohere adds to the prompt; `tokens` is what was read and written. */
function usageFrom(meta: Fields): Usage | undefined {
  const tokens = fieldsOf(meta["tokens"]);
  const billed = fieldsOf(meta["billed_units"]);
  const usage = present({
    inputTokens: countIn(tokens["input_tokens"]) ?? countIn(billed["input_tokens"]),
    outputTokens: countIn(tokens["output_tokens"]) ?? countIn(billed["output_tokens"]),
    cachedInputTokens: countIn(meta["cached_tokens"]),
  });
  return Object.keys(usage).length === 0 ? undefined : usage;
}

/** A call has a name and an object of parameters, and no id. */
export function callPart(value: unknown): Part {
  const { name, parameters } = fieldsOf(value);
  return { type: "tool-call", name: textIn(name) ?? "", arguments: jsonText(parameters ?? {}) };
}
