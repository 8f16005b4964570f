import type { RecordingView } from "../../describe.ts";
import type { Message, Part } from "../../protocol/protocol.ts";
import { jsonIn } from "../../protocol/reading/lenient.ts";
import { GEN_AI, settingAttributes } from "../../telemetry/gen-ai.ts";
import type { Attributes } from "./otlp-values.ts";

/** What a recording says of a call, without a word of what was asked and answered. */
export function readAttributes({ facts, conversation, projection, thread }: RecordingView): Attributes {
  const { usage, finishReason, model } = projection;
  return {
    ...settingAttributes(conversation.settings),
    [GEN_AI.requestStream]: facts.streaming ? true : undefined,
    [GEN_AI.responseModel]: model,
    [GEN_AI.responseId]: thread?.ids[0],
    [GEN_AI.conversationId]: thread?.ids.find((id) => id.startsWith("conv")),
    [GEN_AI.responseFinishReasons]: finishReason?.split(", "),
    [GEN_AI.inputTokens]: usage?.inputTokens,
    [GEN_AI.cachedInputTokens]: usage?.cachedInputTokens,
    [GEN_AI.outputTokens]: usage?.outputTokens,
    [GEN_AI.reasoningTokens]: usage?.reasoningTokens,
  };
}

/** What was asked and answered, as the conventions' JSON schemas have messages. */
export function contentAttributes({ conversation, projection }: RecordingView): Attributes {
  const finish = projection.finishReason ?? "unknown";
  const answers = projection.messages.map((message) => ({ ...messageJson(message), finish_reason: finish }));
  return {
    [GEN_AI.inputMessages]: JSON.stringify(conversation.messages.map(messageJson)),
    [GEN_AI.outputMessages]: JSON.stringify(answers),
  };
}

function messageJson({ role, parts }: Message): Readonly<Record<string, unknown>> {
  return { role, parts: parts.map(partJson) };
}

function partJson(part: Part): object {
  if (part.type === "text") return { type: "text", content: part.text };
  if (part.type === "thinking") return { type: "reasoning", content: part.text };
  if (part.type === "tool-result")
    return { type: "tool_call_response", id: part.id ?? null, response: part.text };
  if (part.type === "media") return mediaJson(part);
  if (part.type === "other")
    return { type: "text", content: part.text === "" ? `[${part.description}]` : part.text };
  const { id = null, name, arguments: given } = part;
  return { type: "tool_call", id, name, arguments: jsonIn(given) ?? given };
}

/** Pictures and sound by what they are: their bytes would be most of the file. */
function mediaJson({ media, description, url }: Extract<Part, { type: "media" }>): object {
  if (url === undefined || url.startsWith("data:"))
    return { type: "text", content: `[${media}: ${description}]` };
  return { type: "uri", modality: media, uri: url };
}
