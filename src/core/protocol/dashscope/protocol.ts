import { localize } from "../../base/localize.ts";
import { createBadRequest } from "../../base/errors.ts";
import type { WireHeaders } from "../../call/call.ts";
import { isJsonObject, getMember, type JsonObject } from "../../base/json/json-tree.ts";
import { composeFrames, composeJson, composeFinish, splitDraft, composeUsage } from "../base/composed.ts";
import {
  createOperation,
  labelChat,
  createFacts,
  getItems,
  createObjectReader,
  shortenLabel,
  getText,
  getValue,
} from "../base/operation.ts";
import type { ComposedReply, Protocol, ProtocolRequest, ReplyDraft, StreamRules } from "../base/protocol.ts";
import { readFields, readList } from "../../base/lenient.ts";
import { createMessages, createTextParts } from "../base/parts.ts";
import { listSettings } from "../base/settings.ts";
import { DASHSCOPE_FAMILY, readDashscopeMessage } from "./reply.ts";
import { createStreamRules } from "../base/events.ts";

/**
 * Before the last chunk, the finish reason is the string "null". Only the end of the body ends the stream, because there
 * can be several choices. A failure is the event `error`, or a chunk with a code.
 * Source: help.aliyun.com/zh/model-studio/qwen-api-via-dashscope and dashscope-sdk-python `api_entities`, 2026-11.
 */
const generationStream = createStreamRules(DASHSCOPE_FAMILY, { endsWithBody: true });

const APPS = "apps.complete";

/**
 * DashScope's native text and multimodal generation, and completions of apps. A header asks for a stream.
 * Source of the apps: dashscope 2.0.2 (PyPI) `v2/resources/apps.py` and `app/`, 2026-11.
 */
export const dashscopeGenerations: readonly Protocol[] = [
  "text-generation",
  "multimodal-generation",
  APPS,
].flatMap((kind) => {
  const streamed = { ...generation(kind, `${kind}.stream`, generationStream), chosenBy: asksForEvents };
  return [streamed, generation(kind, kind)];
});

/** The generation of texts without a stream. */
export const dashscopeGeneration = generation("text-generation", "text-generation");

function generation(kind: string, operation: string, stream?: StreamRules): Protocol {
  return createOperation({
    operation,
    path: kind === APPS ? /\/apps\/[^/]+\/completion$/ : `/services/aigc/${kind}/generation`,
    body: (request) => bodyOf(request, kind === APPS ? readAppBody : readBody),
    facts: (body) => ({ ...createFacts(body, labelOf(body)), streaming: true }),
    messages: (body) => [
      ...readList(readFields(getValue(body, "input"))["messages"]).map((message) =>
        readDashscopeMessage(message, "message"),
      ),
      ...createMessages("user", createTextParts(getText(getMember(body, "input"), "prompt"))),
    ],
    settings: (body) => [
      ...listSettings(getMember(body, "parameters")),
      ...(kind === APPS ? listSettings(getMember(body, "input"), ["prompt", "messages"]) : []),
      ...listSettings(body, ["model", "input", "parameters"]),
    ],
    family: DASHSCOPE_FAMILY,
    stream,
    compose: (draft, body) => compose(draft, body, stream !== undefined, kind === APPS),
  });
}

const readBody = createObjectReader("A generation", "model", "input");
/** An app chooses its models. */
const readAppBody = createObjectReader("A generation", "input");

function bodyOf(request: ProtocolRequest, read: typeof readBody): JsonObject {
  const body = read(request);
  const input = getMember(body, "input");
  if (input !== undefined && isJsonObject(input)) return body;
  throw createBadRequest(
    localize('the member "input" is not an object.'),
    localize("The messages must be under input."),
  );
}

/** Source: dashscope-sdk-python `common/constants.py`; the SDKs send both headers. */
function asksForEvents(headers: WireHeaders): boolean {
  return headers.some(
    ([name, value]) =>
      (name === "x-dashscope-sse" && value.trim().toLowerCase() === "enable") ||
      (name === "accept" && value.toLowerCase().includes("text/event-stream")),
  );
}

function labelOf(body: JsonObject): string {
  const input = getMember(body, "input");
  const prompt = getText(input, "prompt") ?? "";
  return (
    shortenLabel(prompt) ||
    labelChat(getItems(input, "messages"), (message) => readDashscopeMessage(message, "user"))
  );
}

const FINISHES = { stop: "stop", length: "length", "content-filter": "stop", "tool-calls": "stop" };

function compose(draft: ReplyDraft, body: JsonObject, isStreamed: boolean, isApp: boolean): ComposedReply {
  const reply = isApp ? composeAppReply : composeReply;
  if (!isStreamed) return composeJson(reply(body, draft));
  const lines = splitDraft(draft);
  const repeats = getMember(getMember(body, "parameters"), "incremental_output") !== true;
  const texts = lines.map((line, index) => (repeats ? lines.slice(0, index + 1).join("") : line));
  const chunks = [
    ...texts.map((text) => reply(body, { ...draft, text }, "null")),
    reply(body, repeats ? draft : { ...draft, text: "" }),
  ];
  return composeFrames(
    chunks.map(
      (chunk, index) => `id:${index + 1}\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(chunk)}\n\n`,
    ),
  );
}

const finishOf = (draft: ReplyDraft): string => composeFinish(draft, FINISHES);

/** Composes a reply of an app: always a text. */
function composeAppReply(_body: JsonObject, draft: ReplyDraft, finish_reason = finishOf(draft)): object {
  const { text } = draft;
  const { input: input_tokens, output: output_tokens } = composeUsage(draft);
  const usage = { models: [{ model_id: "tapedeck", input_tokens, output_tokens }] };
  return { output: { text, finish_reason, session_id: "tapedeck" }, usage, request_id: "tapedeck" };
}

/** Composes a reply. `result_format` selects a text or messages; with media there are only messages. */
function composeReply(body: JsonObject, draft: ReplyDraft, finish_reason = finishOf(draft)): object {
  const { text } = draft;
  const { input, output: written } = composeUsage(draft);
  const usage = { input_tokens: input, output_tokens: written, total_tokens: input + written };
  const prompted = getMember(getMember(body, "input"), "prompt") !== undefined;
  const format = getMember(getMember(body, "parameters"), "result_format");
  const output =
    format === "text" || (prompted && format !== "message")
      ? { text, finish_reason }
      : { choices: [{ finish_reason, message: { role: "assistant", content: text } }] };
  return { output, usage, request_id: "tapedeck" };
}
