import { member, type JsonObject, plainJson } from "../../../base/json/json-tree.ts";
import { textOf } from "../../../base/wire/text.ts";
import { projectFamily } from "../../base/events.ts";
import { operationFrom, tokenCount, type Operation } from "../../base/operation.ts";
import type { Protocol, ProtocolRequest, Reply, Thread } from "../../base/protocol.ts";
import { fieldsOf, isFields, jsonIn, textIn, type Fields } from "../../../base/lenient.ts";
import { messageOf } from "../../base/parts.ts";
import { isWholeJson, readReply } from "../../base/reply.ts";
import { plural } from "../../../base/plural.ts";
import {
  factsWith,
  itemsAt,
  nameIn,
  objectWith,
  querySettings,
  shortLabel,
  textAt,
  textsAmong,
  valueAt,
} from "../../base/request.ts";
import { allBut } from "../../base/settings.ts";
import { typedEnd } from "../../base/stream-rules.ts";
import { streamRules } from "../../base/whole.ts";
import { composeResponse } from "./compose.ts";
import { contentParts, inputMessages, itemMessage } from "./items.ts";
import { RESPONSES_FAMILY } from "./reply.ts";

/**
 * A response ends complete, or incomplete because a limit was reached; either is the whole answer.
 * Some compatible servers send `[DONE]` after it, which is part of the body and decides nothing.
 * Source: platform.openai.com/docs/api-reference/responses-streaming, 2026-11.
 */
const stream = streamRules(RESPONSES_FAMILY, typedEnd("response.completed", "response.incomplete"));

const projectResponse = projectFamily(RESPONSES_FAMILY);

const RESPONSE: Operation<JsonObject> = {
  operation: "responses",
  path: "/responses",
  // Nothing is needed: a stored prompt names the model, a conversation holds the input.
  body: objectWith("A response"),
  facts: (body) => factsWith(body, labelOf(body)),
  // Instructions first, then the input: a text, or items.
  messages: (body) => [
    ...messageOf("system", contentParts(valueAt(body, "instructions"))),
    ...inputMessages(valueAt(body, "input")),
  ],
  settings: allBut("model", "input", "instructions", "stream"),
  family: RESPONSES_FAMILY,
  thread: (body, reply) => threadOf(textAt(body, "previous_response_id") ?? conversationIn(body), reply),
  stream,
  compose: (draft, body) =>
    composeResponse(draft, {
      model: textAt(body, "model"),
      stream: member(body, "stream") === true,
      background: member(body, "background") === true,
    }),
  composesToolCalls: true,
  isWhole: isWholeResponse,
};

/** A conversation that the provider holds: its id, or an object with it. */
function conversationIn(body: JsonObject): string | undefined {
  return textAt(body, "conversation") ?? textAt(member(body, "conversation"), "id");
}

/** From the end, so that a long conversation is not read to its beginning. */
function labelOf(body: JsonObject): string {
  const input = textAt(body, "input")?.trim();
  if (input) return shortLabel(input);
  const items = itemsAt(body, "input");
  for (let at = items.length - 1; at >= 0; at -= 1) {
    const item = items[at] ?? null;
    if (member(item, "role") !== "user") continue;
    const text = textsAmong(itemMessage(plainJson(item)).parts).findLast((one) => one.trim() !== "");
    if (text !== undefined) return shortLabel(text);
  }
  return items.length > 0 ? `response to ${plural(items.length, "item")}` : "response";
}

const BY_ID = /\/responses\/([^/]+)$/;
const CANCEL = /\/responses\/([^/]+)\/cancel$/;

/**
 * A response by the id that an earlier reply gave: how clients wait for one in the background, or read its stream
 * from where they left it. Those that are not finished are not recorded, so that replay does not wait.
 */
export const openaiResponseById: Protocol = {
  operation: "responses.retrieve",
  accepts: (method, pathname) => method === "GET" && BY_ID.test(pathname),
  facts: (request) => ({ streaming: isStreamed(request), label: `response ${nameIn(request, BY_ID)}` }),
  conversation: ({ path }) => ({ messages: [], settings: querySettings(path) }),
  project: projectResponse,
  thread: (request, reply) => threadOf(nameIn(request, BY_ID), reply),
  stream,
  compose: (draft, request) =>
    composeResponse(draft, { stream: isStreamed(request), background: true, id: nameIn(request, BY_ID) }),
  isWhole: (body) => isWholeResponse(body) && whyUnfinished(body) === undefined,
  unfinished: whyUnfinished,
};

function isStreamed({ path }: ProtocolRequest): boolean {
  return querySettings(path).some(([name, value]) => name === "stream" && value === "true");
}

/** Ends a response in the background. Source: platform.openai.com/docs/api-reference/responses/cancel, 2026-11. */
const cancel: Protocol = {
  operation: "responses.cancel",
  accepts: (method, pathname) => method === "POST" && CANCEL.test(pathname),
  facts: (request) => ({ streaming: false, label: `cancel response ${nameIn(request, CANCEL)}` }),
  conversation: () => ({ messages: [], settings: [] }),
  project: projectResponse,
  compose: (draft, request) => composeResponse(draft, { background: true, id: nameIn(request, CANCEL) }),
  isWhole: isWholeResponse,
};

/** Makes a long conversation short. Source: …/api-reference/responses/compact, 2026-11. */
const compact = operationFrom({
  ...RESPONSE,
  operation: "responses.compact",
  path: "/responses/compact",
  stream: undefined,
  compose: (draft) => composeResponse(draft, {}),
  isWhole: isWholeJson,
});

/**
 * OpenAI responses, and everything that speaks like them.
 * Source: platform.openai.com/docs/api-reference/responses, 2026-11.
 */
export const openaiResponses: Protocol = operationFrom(RESPONSE);

/** What belongs to a response: its later reading, its end, its price before it is made, its summary. */
export const openaiResponsesRelated: readonly Protocol[] = [
  openaiResponseById,
  cancel,
  tokenCount(RESPONSE, {
    operation: "responses.input_tokens",
    path: "/responses/input_tokens",
    member: "input_tokens",
  }),
  compact,
];

const OPEN: ReadonlySet<unknown> = new Set(["queued", "in_progress"]);

/** The response in a body; undefined where it is none, or one that failed. */
function responseIn(body: Uint8Array): Fields | undefined {
  const value = jsonIn(textOf(body));
  return isFields(value) && !value["error"] && value["status"] !== "failed" ? value : undefined;
}

/**
 * Whether a body is a whole response. One that was asked for in the background is whole when it says its name:
 * what becomes of it is the answer to another call.
 */
function isWholeResponse(body: Uint8Array): boolean {
  const response = responseIn(body);
  if (response === undefined) return false;
  return response["background"] === true || !OPEN.has(response["status"]);
}

/** Says of a retrieved response that it is still being made: who waits for it asks again. */
function whyUnfinished(body: Uint8Array): string | undefined {
  const { id, status } = fieldsOf(responseIn(body));
  if (typeof status !== "string" || !OPEN.has(status)) return undefined;
  return `The response ${textIn(id) ?? ""} is ${status}, not finished`.replace("  ", " ");
}

/** A later response names an earlier one, or the conversation that both belong to. `after`: what this one names. */
function threadOf(after: string | undefined, reply: Reply): Thread {
  const response = responseOf(reply);
  const conversation = textIn(fieldsOf(response["conversation"])["id"]) ?? textIn(response["conversation"]);
  const ids = [textIn(response["id"]), conversation, after?.startsWith("conv") === true ? after : undefined];
  return { after, ids: [...new Set(ids.filter((id) => id !== undefined))] };
}

/** The first event that has a response says its id. */
function responseOf(reply: Reply): Fields {
  const read = readReply(reply);
  if (read.kind === "json") return fieldsOf(read.value);
  if (read.kind === "text") return {};
  for (const { data } of read.events) {
    const response = fieldsOf(fieldsOf(jsonIn(data))["response"]);
    if (textIn(response["id"]) !== undefined) return response;
  }
  return {};
}
