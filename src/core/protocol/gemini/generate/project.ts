import {
  jsonIn,
  jsonText,
  countIn,
  fieldsOf,
  isFields,
  listOf,
  present,
  textIn,
  type Fields,
} from "../../reading/lenient.ts";
import type { Message, Projection, Usage } from "../../protocol.ts";
import { failureMessage, readReply, unreadable, type Reply } from "../../reading/reply.ts";
import { assemble } from "./assemble.ts";
import { messageFrom } from "./content.ts";

/** The neutral reading of a reply: a response, a stream of them, or a JSON array of them. */
export function projectGenerated(reply: Reply): Projection {
  const read = readReply(reply);
  if (read.kind === "text") return unreadable(read.text);
  if (read.kind === "stream") return projectChunks(read.events.map(({ data }) => jsonIn(data)));
  return Array.isArray(read.value) ? projectChunks(listOf(read.value)) : projectWhole(read.value);
}

function projectChunks(chunks: readonly unknown[]): Projection {
  const errors = chunks.flatMap((chunk) => fieldsOf(chunk)["error"] || []);
  const projection = projectResponse(assemble(chunks));
  const messages = [...projection.messages, ...errors.map(failureMessage)];
  return { ...projection, messages, events: chunks.length };
}

function projectWhole(value: unknown): Projection {
  const fields = fieldsOf(value);
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  const isResponse = Array.isArray(fields["candidates"]) || isFields(fields["promptFeedback"]);
  return isResponse ? projectResponse(fields) : unreadable(jsonText(value));
}

function projectResponse(fields: Fields): Projection {
  const candidates = listOf(fields["candidates"]).map(fieldsOf);
  const reasons = new Set(candidates.flatMap((one) => textIn(one["finishReason"]) ?? []));
  const blocked = textIn(fieldsOf(fields["promptFeedback"])["blockReason"]);
  return present({
    messages: [
      ...candidates.map((candidate) => messageFrom(candidate["content"], "model")),
      ...(blocked === undefined ? [] : [blockedMessage(blocked)]),
    ],
    usage: usageFrom(fields["usageMetadata"]),
    finishReason: reasons.size > 0 ? [...reasons].join(", ") : blocked,
    model: textIn(fields["modelVersion"]),
  });
}

function blockedMessage(reason: string): Message {
  return { role: "assistant", parts: [{ type: "other", description: "blocked prompt", text: reason }] };
}

/** Thoughts and prompts of tools are counted apart from the answer and the prompt. */
export function usageFrom(value: unknown): Usage | undefined {
  if (!isFields(value)) return undefined;
  const sum = (...names: readonly string[]): number | undefined => {
    const counts = names.flatMap((name) => countIn(value[name]) ?? []);
    return counts.length === 0 ? undefined : counts.reduce((total, count) => total + count, 0);
  };
  return present({
    inputTokens: sum("promptTokenCount", "toolUsePromptTokenCount"),
    outputTokens: sum("candidatesTokenCount", "responseTokenCount", "thoughtsTokenCount"),
    cachedInputTokens: sum("cachedContentTokenCount"),
    reasoningTokens: sum("thoughtsTokenCount"),
  });
}
