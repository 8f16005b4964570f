import { member, type JsonObject } from "../../../json/json-tree.ts";
import { textOf } from "../../../wire/text.ts";
import { composedChunks, composedJson, linesOf } from "../../composed.ts";
import { chatReading, operationFrom, type Operation } from "../../operation.ts";
import type { Composed, Protocol, ProtocolRequest, ReplyDraft } from "../../protocol.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { objectWith, textAt, valueAt } from "../../reading/request.ts";
import { allBut } from "../../reading/settings.ts";
import { messageFrom } from "./message.ts";
import { projectChat } from "./reply.ts";
import { errorIn, givenUpText, openaiChatStream, openaiChatStreamByReason } from "./stream.ts";

const CALLED = "A chat completion";

/** Chat completions, and what differs of them no more than in its request. */
export const CHAT: Operation<JsonObject> = {
  operation: "chat.completions",
  path: "/chat/completions",
  body: objectWith(CALLED, "model", "messages"),
  ...chatReading(messageFrom),
  settings: allBut("model", "messages", "stream"),
  project: projectChat,
  stream: openaiChatStream,
  compose: composeChat,
  isWhole: (body) =>
    isWholeJson(body) && errorIn(textOf(body)) === undefined && givenUpText(body) === undefined,
  unfinished: givenUpText,
};

const withoutModel = objectWith(CALLED, "messages");

/**
 * OpenAI chat completions, and everything that speaks like them. Azure names the model in the path:
 * `/openai/deployments/NAME/chat/completions`. Source: platform.openai.com/docs/api-reference/chat, 2026-11.
 */
export const openaiChat: Protocol = operationFrom({
  ...CHAT,
  body: (request) => (isDeployment(request) ? withoutModel : CHAT.body)(request),
});

/** The same for providers that may leave the end mark of a stream out. */
export const openaiChatWithoutMark: Protocol = { ...openaiChat, stream: openaiChatStreamByReason };

/** Whether Azure's path names the model. */
export function isDeployment({ path }: ProtocolRequest): boolean {
  return path.includes("/deployments/");
}

/** Nothing was spent. */
export const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

/** A completion that says the draft's text, for every choice that was asked for. */
export function composeChat({ text }: ReplyDraft, body: JsonObject): Composed {
  const head = (object: string): object => ({
    id: "chatcmpl-tapedeck",
    object,
    created: 0,
    model: textAt(body, "model") ?? "",
  });
  const choices = (said: object, finish_reason: string | null): object[] =>
    indexes(body).map((index) => ({ index, ...said, logprobs: null, finish_reason }));
  if (member(body, "stream") !== true) {
    const message = { role: "assistant", content: text, refusal: null };
    return composedJson({
      ...head("chat.completion"),
      choices: choices({ message }, "stop"),
      usage: NO_USAGE,
    });
  }
  const isCounted = countsStream(body);
  const chunk = (delta: object, reason: string | null = null): object => ({
    ...head("chat.completion.chunk"),
    choices: choices({ delta }, reason),
    ...(isCounted && { usage: null }),
  });
  return composedChunks([
    chunk({ role: "assistant", content: "", refusal: null }),
    ...linesOf(text).map((content) => chunk({ content })),
    chunk({}, "stop"),
    ...(isCounted ? [{ ...chunk({}), choices: [], usage: NO_USAGE }] : []),
  ]);
}

/** Whether a stream is to end with its usage. */
export function countsStream(body: JsonObject): boolean {
  return member(member(body, "stream_options"), "include_usage") === true;
}

/** The provider allows up to 128 choices. */
function indexes(body: JsonObject): number[] {
  const count = valueAt(body, "n");
  const isCount = typeof count === "number" && Number.isInteger(count);
  return Array.from({ length: isCount ? Math.min(Math.max(count, 1), 128) : 1 }, (_, index) => index);
}
