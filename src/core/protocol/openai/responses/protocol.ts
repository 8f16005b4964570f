import { localize } from "../../../base/localize.ts";
import { getMember, type JsonObject, plainJson } from "../../../base/json/json-tree.ts";
import { decodeText } from "../../../base/wire/text.ts";
import { projectFamily, createStreamRules } from "../../base/events.ts";
import {
  createOperation,
  createStoredOperation,
  createTokenCount,
  type Operation,
  createFacts,
  getItems,
  createObjectReader,
  shortenLabel,
  getText,
  listTexts,
  getValue,
} from "../../base/operation.ts";
import type { Protocol, Reply, Thread } from "../../base/protocol.ts";
import { readFields, isFields, tryParsePlainJson, readText, type Fields } from "../../../base/lenient.ts";
import { createMessages } from "../../base/parts.ts";
import { isWholeJson, readReply } from "../../base/reply.ts";
import { localizeCount } from "../../../base/plural.ts";
import { createSettingsReader } from "../../base/settings.ts";
import { createTypedEnd } from "../../base/stream-rules.ts";
import { composeResponse } from "./compose.ts";
import { readItemContent, readInputMessages, readItemMessage } from "./items.ts";
import { RESPONSES_FAMILY } from "./reply.ts";

/**
 * A response ends complete, or incomplete because a limit was reached; both are whole answers.
 * Some compatible servers send `[DONE]` after it, which is ignored.
 * Source: platform.openai.com/docs/api-reference/responses-streaming, 2026-11.
 */
const stream = createStreamRules(
  RESPONSES_FAMILY,
  createTypedEnd("response.completed", "response.incomplete"),
  /error|response\.failed/,
);

const projectResponse = projectFamily(RESPONSES_FAMILY);

const RESPONSE: Operation<JsonObject> = {
  operation: "responses",
  path: "/responses",
  // No member is required: a stored prompt names the model, a conversation contains the input.
  body: createObjectReader("A response"),
  facts: (body) => createFacts(body, labelOf(body)),
  // Instructions first, then the input: a text, or items.
  messages: (body) => [
    ...createMessages("system", readItemContent(getValue(body, "instructions"))),
    ...readInputMessages(getValue(body, "input")),
  ],
  settings: createSettingsReader("model", "input", "instructions", "stream"),
  family: RESPONSES_FAMILY,
  thread: (body, reply) => threadOf(getText(body, "previous_response_id") ?? conversationIn(body), reply),
  stream,
  compose: (draft, body) =>
    composeResponse(draft, {
      model: getText(body, "model"),
      stream: getMember(body, "stream") === true,
      background: getMember(body, "background") === true,
    }),
  composesToolCalls: true,
  isWhole: isWholeResponse,
};

/** Returns the ID of a stored conversation, which is a string or an object. */
function conversationIn(body: JsonObject): string | undefined {
  return getText(body, "conversation") ?? getText(getMember(body, "conversation"), "id");
}

/** Reads items from the end, because conversations can be long. */
function labelOf(body: JsonObject): string {
  const input = getText(body, "input")?.trim();
  if (input) return shortenLabel(input);
  const items = getItems(body, "input");
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at] ?? null;
    if (getMember(item, "role") !== "user") continue;
    const text = listTexts(readItemMessage(plainJson(item)).parts).findLast((one) => one.trim() !== "");
    if (text !== undefined) return shortenLabel(text);
  }
  return items.length > 0
    ? localizeCount(items.length, "response to {0} item", "response to {0} items")
    : localize("response");
}

/**
 * Retrieves a response by its ID. Clients use it to poll for a background response, or to resume its stream. A response
 * is whole in any state, so a test that polls gets the states one after another, as takes.
 */
const retrieve = createStoredOperation({
  operation: "responses.retrieve",
  method: "GET",
  path: /\/responses\/([^/]+)$/,
  project: projectResponse,
  thread: threadOf,
  stream,
  compose: (draft, id, isStreamed) => composeResponse(draft, { stream: isStreamed, background: true, id }),
  isWhole: (body) =>
    isWholeResponse(body) || STATES.has(readFields(tryParsePlainJson(decodeText(body)))["status"]),
});

/** Ends a response in the background. Source: platform.openai.com/docs/api-reference/responses/cancel, 2026-11. */
const cancel = createStoredOperation({
  operation: "responses.cancel",
  method: "POST",
  path: /\/responses\/([^/]+)\/cancel$/,
  project: projectResponse,
  compose: (draft, id) => composeResponse(draft, { background: true, id, isCancelled: true }),
  isWhole: isWholeResponse,
});

/** Summarizes a long conversation. Source: …/api-reference/responses/compact, 2026-11. */
const compact = createOperation({
  ...RESPONSE,
  operation: "responses.compact",
  path: "/responses/compact",
  stream: undefined,
  compose: (draft) => composeResponse(draft, {}),
  isWhole: isWholeJson,
});

/**
 * Responses of OpenAI and compatible servers.
 * Source: platform.openai.com/docs/api-reference/responses, 2026-11.
 */
export const openaiResponses: Protocol = createOperation(RESPONSE);

/** Operations related to a response: retrieve, cancel, count tokens, compact. */
export const openaiResponsesRelated: readonly Protocol[] = [
  retrieve,
  cancel,
  createTokenCount(RESPONSE, {
    operation: "responses.input_tokens",
    path: "/responses/input_tokens",
    member: "input_tokens",
  }),
  compact,
];

const OPEN: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);
/** The states in which a response without a result can be retrieved. */
const STATES: ReadonlySet<unknown> = new Set([...OPEN, "failed"]);

/** Returns the response in a body; undefined if it is not a response, or failed. */
function responseIn(body: Uint8Array): Fields | undefined {
  const value = tryParsePlainJson(decodeText(body));
  return isFields(value) && !value["error"] && value["status"] !== "failed" ? value : undefined;
}

/**
 * Whether a body is a complete response. A background response is complete in any state, because its result is the
 * answer to another call.
 */
function isWholeResponse(body: Uint8Array): boolean {
  const response = responseIn(body);
  if (response === undefined) return false;
  const { background, status } = response;
  // Only responses in the background are queued.
  return background === true || status === "queued" || !OPEN.has(status);
}

/** Makes the links of a response. `after` is the earlier response or the conversation that the request names. */
function threadOf(after: string | undefined, reply: Reply): Thread {
  const response = responseOf(reply);
  const conversation =
    readText(readFields(response["conversation"])["id"]) ?? readText(response["conversation"]);
  const ids = [
    readText(response["id"]),
    conversation,
    after?.startsWith("conv") === true ? after : undefined,
  ];
  return { after, ids: [...new Set(ids.filter((id) => id !== undefined))] };
}

/** Returns the reply's response; in a stream, that of the first event with an ID. */
function responseOf(reply: Reply): Fields {
  const read = readReply(reply);
  if (read.kind === "json") return readFields(read.value);
  if (read.kind === "text") return {};
  for (const { data } of read.events) {
    const response = readFields(readFields(tryParsePlainJson(data))["response"]);
    if (readText(response["id"]) !== undefined) return response;
  }
  return {};
}
