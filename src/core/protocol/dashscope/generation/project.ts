import {
  countIn,
  fieldsOf,
  isFields,
  jsonIn,
  jsonText,
  listOf,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import type { Projection, Usage } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { assemble } from "./assemble.ts";
import { messageFrom } from "./message.ts";

/** The neutral reading of a generation, whole or streamed. */
export function projectGeneration(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "json") {
    const fields = fieldsOf(read.value);
    if (isFailure(fields)) return { messages: [failureMessage(fields)] };
    return isFields(fields["output"]) ? projectOutput(fields) : unreadable(jsonText(read.value));
  }
  const chunks = read.events.map(({ data }) => fieldsOf(jsonIn(data)));
  const projection = projectOutput(assemble(chunks.filter((chunk) => !isFailure(chunk))));
  const messages = [...projection.messages, ...chunks.filter(isFailure).map(failureMessage)];
  return { ...projection, messages, events: chunks.length };
}

/** A failure has a code that says something. */
export function isFailure(fields: Fields): boolean {
  return textIn(fields["code"]) !== undefined && !isFields(fields["output"]);
}

function projectOutput(fields: Fields): Projection {
  const output = fieldsOf(fields["output"]);
  const choices = listOf(output["choices"]).map(fieldsOf);
  const text = textIn(output["text"]);
  const reasons = new Set(
    [output, ...choices].flatMap((one) =>
      one["finish_reason"] === "null" ? [] : (textIn(one["finish_reason"]) ?? []),
    ),
  );
  const message = { role: "assistant", parts: text === undefined ? [] : [{ type: "text", text } as const] };
  return present({
    messages:
      choices.length > 0
        ? choices.map((choice) => messageFrom(choice["message"], "assistant"))
        : "text" in output
          ? [message]
          : [],
    usage: usageFrom(fields["usage"]),
    finishReason: reasons.size > 0 ? [...reasons].join(", ") : undefined,
  });
}

function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  return present({
    inputTokens: countIn(value["input_tokens"]),
    outputTokens: countIn(value["output_tokens"]),
    cachedInputTokens: countIn(fieldsOf(value["prompt_tokens_details"])["cached_tokens"]),
    reasoningTokens: countIn(fieldsOf(value["output_tokens_details"])["reasoning_tokens"]),
  });
}
