import { isJsonObject, member, type JsonObject } from "../../../json/json-tree.ts";
import { composedJson } from "../../composed.ts";
import { geminiAddress } from "../address.ts";
import { messageFrom } from "../generate/content.ts";
import { conversationFrom } from "../generate/conversation.ts";
import { countIn, present, type Fields } from "../../reading/lenient.ts";
import type { Projection, Protocol, ProtocolRequest } from "../../protocol.ts";
import { failureMessage, isWholeJson, projectJson } from "../../reading/reply.ts";
import { counted, objectBody } from "../../reading/request.ts";
import { userLabel } from "../../user-label.ts";

/**
 * Counting the tokens of contents, or of a whole request under `generateContentRequest`.
 * Source: ai.google.dev/api/tokens, 2026-11.
 */
export const geminiCountTokens: Protocol = {
  operation: "countTokens",
  accepts: (method, pathname) => geminiAddress.accepts(method, pathname, "countTokens"),
  facts: (request) => {
    const model = geminiAddress.modelIn(request.path);
    const contents = member(bodyOf(request), "contents");
    const label = userLabel(contents, (content) => messageFrom(content, "user"));
    return { ...(model !== undefined && { model }), streaming: false, label: `tokens of ${label}` };
  },
  conversation: (request) => conversationFrom(bodyOf(request)),
  project: (reply) => projectJson(reply, readCount),
  compose: (_draft, request) => {
    bodyOf(request);
    return composedJson({ totalTokens: 0 });
  },
  isWhole: isWholeJson,
};

function readCount(fields: Fields): Projection | undefined {
  if (fields["error"]) return { messages: [failureMessage(fields["error"])] };
  const total = countIn(fields["totalTokens"]);
  if (total === undefined) return undefined;
  return present({
    messages: [{ role: "reply", parts: [{ type: "text" as const, text: counted(total, "token") }] }],
    usage: { inputTokens: total },
  });
}

function bodyOf(request: ProtocolRequest): JsonObject {
  const body = objectBody(request, { operation: "Counting tokens", needs: [] });
  const whole = member(body, "generateContentRequest");
  return whole !== undefined && isJsonObject(whole) ? whole : body;
}
