import { localize } from "../base/localize.ts";
import { getMember } from "../base/json/json-tree.ts";
import { decodeText } from "../base/wire/text.ts";
import { composeJson } from "./base/composed.ts";
import { composeChat, openaiChat } from "./openai/chat/protocol.ts";
import type { Protocol } from "./base/protocol.ts";
import { readFields, tryParsePlainJson, readText } from "../base/lenient.ts";
import { createReplyMessage } from "./base/parts.ts";
import { readReply, createUnreadableProjection } from "./base/reply.ts";
import { createStoredOperation } from "./base/operation.ts";

/**
 * xAI's chats. The reply to a deferred chat is `{"request_id": …}`; all others are OpenAI's.
 * Source: docs.x.ai/docs/guides/deferred-chat-completions, 2026-11.
 */
export const xaiChat: Protocol = {
  ...openaiChat,
  project(reply) {
    const read = readReply(reply);
    const id = read.kind === "json" ? readText(readFields(read.value)["request_id"]) : undefined;
    return id === undefined
      ? openaiChat.project(reply)
      : { messages: [createReplyMessage(localize("to be fetched as {0}", id))] };
  },
  compose(draft, request) {
    const { body } = request;
    const isDeferred = body.kind === "json" && getMember(body.tree, "deferred") === true;
    return isDeferred ? composeJson({ request_id: "tapedeck" }) : openaiChat.compose(draft, request);
  },
  isWhole: (body) =>
    readText(readFields(tryParsePlainJson(decodeText(body)))["request_id"]) !== undefined ||
    openaiChat.isWhole(body),
};

/** The answer to a deferred chat. It is empty until it is ready, so a test that polls gets empty takes first. */
export const xaiDeferred = createStoredOperation({
  operation: "chat.deferred",
  method: "GET",
  path: /\/chat\/deferred-completion\/([^/]+)$/,
  project: (reply) =>
    reply.body.byteLength === 0
      ? createUnreadableProjection(localize("not ready yet"))
      : openaiChat.project(reply),
  compose: (draft) => composeChat(draft, { members: [] }),
  isWhole: (body) => isEmpty(body) || openaiChat.isWhole(body),
  unfinished: (body) => (isEmpty(body) ? undefined : openaiChat.unfinished?.(body)),
});

const isEmpty = (body: Uint8Array): boolean => decodeText(body).trim() === "";
