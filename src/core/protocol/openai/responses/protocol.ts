import { member, type JsonObject } from "../../../json/json-tree.ts";
import { plainJson } from "../../../json/json-write.ts";
import { textOf } from "../../../wire/text.ts";
import { composedEvents, composedJson, linesOf } from "../../composed.ts";
import { operationFrom, type Operation } from "../../operation.ts";
import type { Composed, Protocol, ProtocolRequest, ReplyDraft } from "../../protocol.ts";
import { fieldsOf, isFields, jsonIn, textIn, type Fields } from "../../reading/lenient.ts";
import { messageOf } from "../../reading/parts.ts";
import { isWholeJson } from "../../reading/reply.ts";
import { plural } from "../../../plural.ts";
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
} from "../../reading/request.ts";
import { allBut } from "../../reading/settings.ts";
import { tokenCount } from "../../reading/token-count.ts";
import { typedStream } from "../../stream-rules.ts";
import { contentParts, inputMessages, itemMessage } from "./items.ts";
import { projectResponse } from "./reply.ts";

/**
 * A response ends complete, or incomplete because a limit was reached; either is the whole answer.
 * Some compatible servers send `[DONE]` after it, which is part of the body and decides nothing.
 * Source: platform.openai.com/docs/api-reference/responses-streaming, 2026-11.
 */
const stream = typedStream({
  terminal: ["response.completed", "response.incomplete"],
  failed: ["response.failed", "error"],
});

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
  project: projectResponse,
  stream,
  compose: (draft, body) =>
    composeResponse(draft, {
      model: textAt(body, "model"),
      stream: member(body, "stream") === true,
      background: member(body, "background") === true,
    }),
  isWhole: isWholeResponse,
};

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
  stream,
  compose: (draft, request) =>
    composeResponse(draft, {
      stream: isStreamed(request),
      background: true,
      id: nameIn(request, BY_ID),
    }),
  isWhole: (body) => isWholeResponse(body) && unfinished(body) === undefined,
  unfinished,
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
    sample: { object: "response.input_tokens", input_tokens: 0 },
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
function unfinished(body: Uint8Array): string | undefined {
  const { id, status } = fieldsOf(responseIn(body));
  if (typeof status !== "string" || !OPEN.has(status)) return undefined;
  return `The response ${textIn(id) ?? ""} is ${status}, not finished`.replace("  ", " ");
}

/** Nothing was spent. */
const USAGE = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** What of a request its reply repeats. */
interface Asked {
  readonly model?: string | undefined;
  readonly stream?: boolean;
  readonly background?: boolean;
  /** The response that is asked for, where it has a name already. */
  readonly id?: string;
}

/**
 * A response that says the draft's text; a stream with an event a line of it, so that it can be read and edited.
 * A background one is finished at once.
 */
function composeResponse({ text }: ReplyDraft, asked: Asked): Composed {
  const response = (status: string, output: readonly object[]): object => ({
    id: asked.id ?? "resp_tapedeck",
    object: "response",
    created_at: 0,
    status,
    background: asked.background === true,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: asked.model ?? "",
    output,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: status === "completed" ? USAGE : null,
  });
  const item = { output_index: 0 };
  const part = { ...item, item_id: "msg_tapedeck", content_index: 0 };
  const message = (status: string, content: readonly object[]): object => ({
    id: part.item_id,
    type: "message",
    status,
    role: "assistant",
    content,
  });
  const textPart = (said: string): object => ({ type: "output_text", text: said, annotations: [] });
  const said = message("completed", [textPart(text)]);
  if (asked.stream !== true) return composedJson(response("completed", [said]));

  const events: readonly (readonly [type: string, rest: object])[] = [
    ["response.created", { response: response("in_progress", []) }],
    ["response.in_progress", { response: response("in_progress", []) }],
    ["response.output_item.added", { ...item, item: message("in_progress", []) }],
    ["response.content_part.added", { ...part, part: textPart("") }],
    ...linesOf(text).map(
      (delta) => ["response.output_text.delta", { ...part, delta, logprobs: [] }] as const,
    ),
    ["response.output_text.done", { ...part, text, logprobs: [] }],
    ["response.content_part.done", { ...part, part: textPart(text) }],
    ["response.output_item.done", { ...item, item: said }],
    ["response.completed", { response: response("completed", [said]) }],
  ];
  return composedEvents(events.map(([type, rest], index) => ({ type, sequence_number: index, ...rest })));
}
