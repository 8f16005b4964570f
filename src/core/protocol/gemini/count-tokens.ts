import { isJsonObject, member, type JsonObject } from "../../json/json-tree.ts";
import { composedJson } from "../composed.ts";
import { geminiAddress } from "../model-address.ts";
import { operationFrom } from "../operation.ts";
import type { Protocol, ProtocolRequest } from "../protocol.ts";
import { chatLabel, itemsAt, objectWith } from "../reading/request.ts";
import { countReader } from "../reading/token-count.ts";
import { messageFrom, messagesOf, settingsIn } from "./generate/content.ts";

/**
 * Counting the tokens of contents, or of a whole request under `generateContentRequest`.
 * Source: ai.google.dev/api/tokens, 2026-11.
 */
export const geminiCountTokens: Protocol = operationFrom({
  operation: "countTokens",
  path: geminiAddress.pathOf("countTokens"),
  body: bodyOf,
  facts: (body, { path }) => ({
    model: geminiAddress.modelIn(path),
    streaming: false,
    label: `tokens of ${chatLabel(itemsAt(body, "contents"), (content) => messageFrom(content, "user"))}`,
  }),
  messages: messagesOf,
  settings: settingsIn,
  project: countReader("totalTokens"),
  compose: () => composedJson({ totalTokens: 0 }),
});

const readBody = objectWith("Counting tokens");

function bodyOf(request: ProtocolRequest): JsonObject {
  const body = readBody(request);
  const whole = member(body, "generateContentRequest");
  return whole !== undefined && isJsonObject(whole) ? whole : body;
}
