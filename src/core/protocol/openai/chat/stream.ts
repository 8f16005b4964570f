import { readEvents, readFrame } from "../../../base/wire/sse.ts";
import { textOf } from "../../../base/wire/text.ts";
import { fieldsOf, jsonIn, listOf, type Fields } from "../../../base/lenient.ts";
import type { StreamRules } from "../../base/protocol.ts";
import { mayGetData } from "../../base/stream-rules.ts";

const DONE = "[DONE]";

/**
 * A chat stream ends with `data: [DONE]`, also where `stream_options.include_usage` adds a last chunk without choices.
 * The official SDKs take any data that begins so. A failure on the way is a chunk with `error`.
 * Source: platform.openai.com/docs/api-reference/chat-streaming and openai-node 6.49 `core/streaming`, 2026-11.
 */
export const openaiChatStream: StreamRules = {
  isTerminal: (event) => readFrame(event).data?.startsWith(DONE) === true,
  isError: (event) => {
    const frame = readFrame(event);
    const failed = errorIn(frame.data) !== undefined || givenUpIn(frame.data) !== undefined;
    return frame.event === "error" || failed;
  },
  mayBeTerminal: (beginning) =>
    mayGetData(beginning, (data) => DONE.startsWith(data) || data.startsWith(DONE)),
  isFinished: everyChoiceFinished,
};

/** Whether each choice has a reason to finish: llama.cpp, Hugging Face's router, and several gateways leave `[DONE]` out. */
function everyChoiceFinished(body: Uint8Array): boolean {
  const finished = new Map<unknown, boolean>();
  for (const { data } of readEvents(body)) {
    for (const choice of listOf(fieldsOf(jsonIn(data))["choices"]).map(fieldsOf)) {
      const index = choice["index"] ?? 0;
      const ends = typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "";
      finished.set(index, ends || finished.get(index) === true);
    }
  }
  return finished.size > 0 && [...finished.values()].every(Boolean);
}

/**
 * The failure that a chunk tells of: as a whole, in one of its choices (OpenRouter) or in Groq's own member.
 * Sources: openrouter.ai/docs/api/reference/errors, groq-typescript `resources/chat/completions`, 2026-11.
 */
export function errorIn(data: string | undefined): unknown {
  return data?.includes('"error"') === true ? errorOf(fieldsOf(jsonIn(data))) : undefined;
}

/**
 * Reasons to finish that say that the answer was given up, not that it ended. Sources: mistralai `completion_chunk`,
 * openrouter `ChatFinishReasonEnum` and together `FinishReason` ("error"); api-docs.deepseek.com/api/create-chat-completion
 * ("insufficient_system_resource"), 2026-11.
 */
const GIVEN_UP = ["error", "insufficient_system_resource"];

/** The reason of a choice that was given up on the way, in a completion or a chunk of one. */
export function givenUpIn(data: string | undefined): string | undefined {
  if (data === undefined || !GIVEN_UP.some((reason) => data.includes(`"${reason}"`))) return undefined;
  const choices = listOf(fieldsOf(jsonIn(data))["choices"]).map(fieldsOf);
  return GIVEN_UP.find((reason) => choices.some((choice) => choice["finish_reason"] === reason));
}

/** Why a completion in one piece is none, as a sentence without its full stop. */
export function givenUpText(body: Uint8Array): string | undefined {
  const reason = givenUpIn(textOf(body));
  return reason && `The provider gave the answer up (finish_reason ${reason})`;
}

export function errorOf(fields: Fields): unknown {
  const places = [fields, fieldsOf(fields["x_groq"]), ...listOf(fields["choices"]).map(fieldsOf)];
  return places.map((place) => place["error"]).find(Boolean);
}
