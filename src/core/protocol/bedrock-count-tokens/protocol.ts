import { isJsonObject, member, type JsonObject } from "../../wire/json-tree.ts";
import { bedrockModel, isBedrock } from "../bedrock-address.ts";
import { conversationFrom } from "../bedrock-converse/conversation.ts";
import { messageFrom } from "../bedrock-converse/message.ts";
import { wholeFailure } from "../bedrock-failure.ts";
import { composedJson } from "../composed.ts";
import { countIn, fieldsOf, jsonText } from "../lenient.ts";
import type { Protocol, ProtocolRequest } from "../protocol.ts";
import { isWholeJson, readReply, unreadable } from "../reply.ts";
import { counted, objectBody } from "../request.ts";
import { userLabel } from "../user-label.ts";

/**
 * Counting the tokens of a converse or an invoke.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_CountTokens.html, 2026-11.
 */
export const bedrockCountTokens: Protocol = {
  operation: "count-tokens",
  accepts: (method, pathname) => isBedrock(method, pathname, "count-tokens"),
  facts: (request) => {
    const model = bedrockModel(request.path);
    const messages = member(conversedIn(request), "messages");
    const label =
      messages === undefined ? "a request" : userLabel(messages, (message) => messageFrom(message, "user"));
    return { ...(model !== undefined && { model }), streaming: false, label: `tokens of ${label}` };
  },
  conversation: (request) => conversationFrom(conversedIn(request)),
  project: (reply) => {
    const read = readReply(reply);
    if (read.kind !== "json") return unreadable(read.kind === "text" ? read.text : "a stream");
    const fields = fieldsOf(read.value);
    const failure = wholeFailure(fields, reply.status);
    if (failure !== undefined) return { messages: [failure] };
    const inputTokens = countIn(fields["inputTokens"]);
    if (inputTokens === undefined) return unreadable(jsonText(read.value));
    const parts = [{ type: "text", text: counted(inputTokens, "token") }] as const;
    return { messages: [{ role: "reply", parts }], usage: { inputTokens } };
  },
  compose: (_draft, request) => {
    conversedIn(request);
    return composedJson({ inputTokens: 0 });
  },
  isWhole: isWholeJson,
};

/** The converse request to count; what else is to be counted is encoded and not read. */
function conversedIn(request: ProtocolRequest): JsonObject {
  const body = objectBody(request, { operation: "Counting tokens", needs: ["input"] });
  const converse = member(member(body, "input"), "converse");
  return converse !== undefined && isJsonObject(converse) ? converse : body;
}
