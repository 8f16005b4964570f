import { badRequest } from "../../../errors.ts";
import type { WireHeaders } from "../../../call.ts";
import { isJsonObject, member, type JsonObject } from "../../../json/json-tree.ts";
import { readFrame } from "../../../wire/sse.ts";
import { textOf } from "../../../wire/text.ts";
import { composedFrames, composedJson, linesOf, type Composed } from "../../composed.ts";
import { fieldsOf, isFields, jsonIn, listOf, textIn, type Fields } from "../../reading/lenient.ts";
import type { Conversation, Protocol, ProtocolRequest, ReplyDraft, StreamRules } from "../../protocol.ts";
import { factsWith, objectBody, shortLabel, valueAt } from "../../reading/request.ts";
import { settingsOf } from "../../reading/settings.ts";
import { userLabel } from "../../user-label.ts";
import { messageFrom } from "./message.ts";
import { isFailure, projectGeneration } from "./project.ts";

/**
 * Until the last chunk the reason is the text "null"; only the end of the body ends the stream, since there may be
 * several choices. A failure is the event `error`, or a chunk with a code.
 * Source: help.aliyun.com/zh/model-studio/qwen-api-via-dashscope and dashscope-sdk-python `api_entities`, 2026-11.
 */
const generationStream: StreamRules = {
  isTerminal: (event) => {
    const output = fieldsOf(dataOf(event)["output"]);
    return [output, ...listOf(output["choices"]).map(fieldsOf)].some(hasEnded);
  },
  endsWithBody: true,
  isError: (event) => readFrame(event).event === "error" || isFailure(dataOf(event)),
  // The reason may stand anywhere in a chunk.
  mayBeTerminal: () => true,
};

/** DashScope's own generation of texts, and from texts and media; streamed where a header asks for it. */
export const dashscopeGenerations: readonly Protocol[] = ["text-generation", "multimodal-generation"].flatMap(
  (kind) => {
    const whole = generation(kind, false);
    return [{ ...generation(kind, true), stream: generationStream, chosenBy: asksForEvents }, whole];
  },
);

function generation(kind: string, streaming: boolean): Protocol {
  return {
    operation: streaming ? `${kind}.stream` : kind,
    accepts: (method, pathname) =>
      method === "POST" && pathname.endsWith(`/services/aigc/${kind}/generation`),
    facts: (request) => {
      const body = bodyOf(request);
      return { ...factsWith(body, labelOf(body)), streaming };
    },
    conversation: (request) => conversationOf(bodyOf(request)),
    project: projectGeneration,
    compose: (draft, request) => compose(draft, bodyOf(request), streaming),
    isWhole: (body) => isFields(fieldsOf(jsonIn(textOf(body)))["output"]),
  };
}

/** Source: dashscope-sdk-python `common/constants.py`; the SDKs send both headers. */
function asksForEvents(headers: WireHeaders): boolean {
  return headers.some(
    ([name, value]) =>
      (name === "x-dashscope-sse" && value.trim().toLowerCase() === "enable") ||
      (name === "accept" && value.toLowerCase().includes("text/event-stream")),
  );
}

function hasEnded(fields: Fields): boolean {
  const reason = textIn(fields["finish_reason"]);
  return reason !== undefined && reason !== "null";
}

function dataOf(frame: string): Fields {
  return fieldsOf(jsonIn(readFrame(frame).data ?? ""));
}

function labelOf(body: JsonObject): string {
  const input = member(body, "input");
  const prompt = member(input, "prompt");
  if (typeof prompt === "string" && prompt.trim() !== "") return shortLabel(prompt);
  return userLabel(member(input, "messages"), (message) => messageFrom(message, "user"));
}

function conversationOf(body: JsonObject): Conversation {
  const input = fieldsOf(valueAt(body, "input"));
  const prompt = textIn(input["prompt"]);
  const parameters = member(body, "parameters");
  return {
    messages: [
      ...listOf(input["messages"]).map((message) => messageFrom(message, "message")),
      ...(prompt === undefined ? [] : [{ role: "user", parts: [{ type: "text", text: prompt } as const] }]),
    ],
    settings: [
      ...(parameters !== undefined && isJsonObject(parameters) ? settingsOf(parameters, []) : []),
      ...settingsOf(body, ["model", "input", "parameters"]),
    ],
  };
}

/** Nothing was spent. */
const USAGE = { input_tokens: 0, output_tokens: 0, total_tokens: 0 };

function compose(draft: ReplyDraft, body: JsonObject, streaming: boolean): Composed {
  if (!streaming) return composedJson(reply(body, draft.text, "stop"));
  const lines = linesOf(draft.text);
  const repeats = member(member(body, "parameters"), "incremental_output") !== true;
  const said = lines.map((line, index) => (repeats ? lines.slice(0, index + 1).join("") : line));
  const chunks = [
    ...said.map((text) => reply(body, text, "null")),
    reply(body, repeats ? draft.text : "", "stop"),
  ];
  return composedFrames(
    chunks.map(
      (chunk, index) => `id:${index + 1}\nevent:result\n:HTTP_STATUS/200\ndata:${JSON.stringify(chunk)}\n\n`,
    ),
  );
}

/** `result_format` decides between a text and messages; with media there are only messages. */
function reply(body: JsonObject, text: string, finish_reason: string): object {
  const prompted = member(member(body, "input"), "prompt") !== undefined;
  const format = member(member(body, "parameters"), "result_format");
  const output =
    format === "text" || (prompted && format !== "message")
      ? { text, finish_reason }
      : { choices: [{ finish_reason, message: { role: "assistant", content: text } }] };
  return { output, usage: USAGE, request_id: "tapedeck" };
}

function bodyOf(request: ProtocolRequest): JsonObject {
  const body = objectBody(request, { operation: "A generation", needs: ["model", "input"] });
  const input = member(body, "input");
  if (input !== undefined && isJsonObject(input)) return body;
  throw badRequest('the member "input" is not an object.', "A generation takes its messages under input.");
}
