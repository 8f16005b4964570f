import {
  readCount,
  readFields,
  readList,
  readText,
  stringifyJson,
  tryParsePlainJson,
  writeTextOrJson,
  type Fields,
} from "../../base/lenient.ts";
import { getMember, type JsonObject } from "../../base/json/json-tree.ts";
import { composeFrames, composeJson, splitDraft, composeUsage } from "../base/composed.ts";
import {
  projectFamily,
  createStreamRules,
  type EventReader,
  type ReplyEvent,
  type WireFamily,
} from "../base/events.ts";
import { createMedia, getMediaKind, createNamedMedia } from "../base/media.ts";
import {
  createFacts,
  createObjectReader,
  createOperation,
  createStoredOperation,
  shortenLabel,
  getText,
  listTexts,
  getValue,
} from "../base/operation.ts";
import {
  createCallPart,
  createMessages,
  createOtherPart,
  createResultPart,
  createTextPart,
} from "../base/parts.ts";
import type {
  ComposedReply,
  ConversationMessage,
  ConversationPart,
  Protocol,
  Reply,
  ReplyDraft,
  Thread,
} from "../base/protocol.ts";
import { readReply } from "../base/reply.ts";
import { createSettingsReader } from "../base/settings.ts";
import { createTypedEnd } from "../base/stream-rules.ts";
import { localize } from "../../base/localize.ts";

/**
 * Interactions, Google's API for models and agents, whose conversation the provider stores. A reply is a list of steps, or a
 * stream of events that begin, fill, and end steps. Source: js-genai 3.3 `genai.d.ts` (`Interaction`, `Step`,
 * `InteractionSSEEvent`), 2026-11.
 */
const FAMILY: WireFamily = {
  usage: "interactions",
  reader: createStepReader,
  failureIn: ({ error, status, errors }) =>
    error ?? (status === "failed" ? (readList(errors)[0] ?? "failed") : undefined),
  chunksOf(fields) {
    if (readText(fields["id"]) === undefined && !Array.isArray(fields["steps"])) return undefined;
    const steps = readList(fields["steps"]).map((step, index) => ({ event_type: "step.start", index, step }));
    const { steps: _, ...interaction } = fields;
    return [...steps, { event_type: "interaction.completed", interaction }];
  },
};

/** Between the indexes of two steps, for the parts of one. */
const PARTS_A_STEP = 1_000;

function createStepReader(): EventReader {
  /** The steps that have begun, whose ids the events after them do not repeat. */
  const steps = new Map<number, Fields>();
  return {
    read(event, name) {
      const type = readText(event["event_type"]) ?? name ?? "";
      const interaction = readFields(event["interaction"]);
      const start: ReplyEvent = {
        type: "start",
        id: readText(interaction["id"]),
        model: readText(interaction["model"]),
      };
      const index = (readCount(event["index"]) ?? 0) * PARTS_A_STEP;
      if (type === "interaction.created") return [start];
      if (type === "step.start") {
        const step = readFields(event["step"]);
        steps.set(index, step);
        return readStep(step, index);
      }
      if (type === "step.delta") return readDelta(readFields(event["delta"]), steps.get(index) ?? {}, index);
      if (type === "interaction.completed") {
        const reason = readText(interaction["status"]) ?? "completed";
        return [
          start,
          { type: "usage", usage: readFields(interaction["usage"]) },
          { type: "finish", reason },
        ];
      }
      if (type === "error" || event["error"]) return [{ type: "error", error: event["error"] ?? event }];
      return [];
    },
  };
}

/** Reads a whole step, or the beginning of one in a stream, which is empty. */
function readStep(step: Fields, index: number): readonly ReplyEvent[] {
  const { type, content, id, arguments: given, summary } = step;
  if (type === "model_output") return readList(content).map((one, at) => contentEvent(one, index + at));
  if (type === "thought")
    return readList(summary).map((one) => ({
      type: "thinking",
      index,
      text: readText(readFields(one)["text"]) ?? "",
    }));
  if (type === "user_input") return [];
  if (readText(type)?.endsWith("_call") !== true) return [toolStepEvent(step, index)];
  const isFilled = given !== undefined && stringifyJson(given) !== "{}";
  return [
    {
      type: "call",
      index,
      id: readText(id),
      name: nameOfTool(step),
      arguments: isFilled ? writeTextOrJson(given) : "",
    },
  ];
}

/** The name of the client's function, or of one of the provider's tools: `google_search_call`. */
const nameOfTool = ({ name, type }: Fields): string =>
  readText(name) ?? (readText(type) ?? "").slice(0, -"_call".length);

const isOfTool = ({ type }: Fields): boolean => /_(?:call|result)$/.test(readText(type) ?? "");

const toolStepEvent = (step: Fields, index: number): ReplyEvent => ({
  type: "part",
  index,
  parts: [toolStepPart(step)],
  raw: step,
});

/** Reads a step with the call or the result of a tool. A step of an unknown type is shown as JSON. */
function toolStepPart(step: Fields): ConversationPart {
  const { id, call_id: callId, arguments: given, result } = step;
  const type = readText(step["type"]) ?? "step";
  if (type.endsWith("_call")) return createCallPart(id, nameOfTool(step), given ?? {});
  if (type.endsWith("_result"))
    return createResultPart(callId, result === undefined ? "" : writeTextOrJson(result));
  return createOtherPart(type, stringifyJson(step));
}

function readDelta(delta: Fields, step: Fields, index: number): readonly ReplyEvent[] {
  const { type, content, arguments: given } = delta;
  if (isOfTool(delta)) return [toolStepEvent({ ...step, ...delta }, index)];
  if (type === "arguments_delta") return [{ type: "call", index, arguments: readText(given) ?? "" }];
  if (type === "thought_summary")
    return [{ type: "thinking", index, text: readText(readFields(content)["text"]) ?? "" }];
  if (type === "thought_signature" || type === "text_annotation_delta") return [];
  return [contentEvent(delta, index)];
}

function contentEvent(content: unknown, index: number): ReplyEvent {
  const { type, text } = readFields(content);
  return type === "text"
    ? { type: "text", index, text: readText(text) ?? "", isSilent: true }
    : { type: "part", index, parts: [contentPart(content)], raw: content };
}

function contentPart(value: unknown): ConversationPart {
  const fields = readFields(value);
  const { type, text, data, uri, mime_type: mime } = fields;
  if (typeof value === "string") return createTextPart(value);
  if (type === "text" || text !== undefined) return createTextPart(readText(text) ?? "");
  const kind = getMediaKind(readText(mime) ?? `${readText(type) ?? "file"}/`);
  if (typeof data === "string") return createMedia(kind, readText(mime) ?? "file", data);
  if (typeof uri === "string") return createNamedMedia(kind, uri);
  return createOtherPart(readText(type) ?? "content", stringifyJson(value));
}

/** Reads one content, or a list of them. */
const readContents = (value: unknown): ConversationPart[] => listOf(value).map(contentPart);

const listOf = (value: unknown): readonly unknown[] => (value === undefined ? [] : [value].flat());

/** Reads an input: a text, one content, contents, or steps. */
function inputMessages(input: unknown): readonly ConversationMessage[] {
  const list = listOf(input);
  const isSteps = list.some((one) =>
    /_(?:input|output|call|result)$|^thought$/.test(readText(readFields(one)["type"]) ?? ""),
  );
  return isSteps ? list.flatMap(stepMessage) : createMessages("user", readContents(input));
}

function stepMessage(value: unknown): readonly ConversationMessage[] {
  const step = readFields(value);
  const { type, content } = step;
  if (type === "user_input") return createMessages("user", readContents(content));
  if (type === "model_output") return createMessages("assistant", readContents(content));
  return createMessages(type === "function_result" ? "tool" : "assistant", [toolStepPart(step)]);
}

const project = projectFamily(FAMILY);
const stream = createStreamRules(FAMILY, createTypedEnd("interaction.completed"));

export const geminiInteractions: Protocol = createOperation<JsonObject>({
  operation: "interactions",
  path: /(?:^|\/v\d\w*|\/locations\/[^/]+)\/interactions$/,
  body: createObjectReader("An interaction", "input"),
  facts(body) {
    const lastMessage = inputMessages(getValue(body, "input")).findLast(({ role }) => role === "user");
    const text = listTexts(lastMessage?.parts ?? []).findLast((one) => one.trim() !== "");
    const facts = createFacts(body, text === undefined ? localize("interaction") : shortenLabel(text));
    return { ...facts, model: facts.model ?? getText(body, "agent") };
  },
  messages: (body) => [
    ...createMessages("system", readContents(getValue(body, "system_instruction"))),
    ...inputMessages(getValue(body, "input")),
  ],
  settings: createSettingsReader("model", "input", "system_instruction", "stream"),
  family: FAMILY,
  thread: (body, reply) => threadOf(getText(body, "previous_interaction_id"), reply),
  stream,
  compose: (draft, body) => compose(draft, getText(body, "model"), getMember(body, "stream") === true),
});

/**
 * Operations on a stored interaction. Clients poll for one in the background. It is whole in any state, so a test that
 * polls gets the states one after another, as takes.
 */
export const geminiInteractionsRelated: readonly Protocol[] = [
  createStoredOperation({
    operation: "interactions.get",
    method: "GET",
    path: /\/interactions\/([^/]+)$/,
    project,
    thread: threadOf,
    stream,
    compose: (draft, id, isStreamed) => compose(draft, undefined, isStreamed, id),
    isWhole: () => true,
  }),
  createStoredOperation({
    operation: "interactions.cancel",
    method: "POST",
    path: /\/interactions\/([^/]+)\/cancel$/,
    project,
    compose: (_, id) => composeJson({ id, status: "cancelled", steps: [] }),
    isWhole: () => true,
  }),
];

/** Reads the id of the interaction from the reply, or from the first event that has it. */
function threadOf(after: string | undefined, reply: Reply): Thread {
  const read = readReply(reply);
  const values =
    read.kind === "stream"
      ? read.events.map(({ data }) => tryParsePlainJson(data))
      : [read.kind === "json" && read.value];
  const ids = values
    .map(readFields)
    .flatMap(({ id, interaction }) => readText(id) ?? readText(readFields(interaction)["id"]) ?? []);
  return { after, ids: ids.slice(0, 1) };
}

function compose(
  draft: ReplyDraft,
  model: string | undefined,
  streams: boolean,
  id = "v1_tapedeck",
): ComposedReply {
  const { input, output } = composeUsage(draft);
  const usage = { total_input_tokens: input, total_output_tokens: output, total_tokens: input + output };
  const step = (text: string): object => ({ type: "model_output", content: [{ type: "text", text }] });
  const interaction = {
    id,
    object: "interaction",
    status: "completed",
    ...(model !== undefined && { model }),
  };
  if (!streams) return composeJson({ ...interaction, steps: [step(draft.text)], usage });
  const events = [
    { event_type: "interaction.created", interaction: { ...interaction, status: "in_progress" } },
    { event_type: "step.start", index: 0, step: { type: "model_output" } },
    ...splitDraft(draft).map((text) => ({
      event_type: "step.delta",
      index: 0,
      delta: { type: "text", text },
    })),
    { event_type: "step.stop", index: 0 },
    { event_type: "interaction.completed", interaction: { ...interaction, usage } },
  ];
  return composeFrames(
    events.map((event) => `event: ${event.event_type}\ndata: ${JSON.stringify(event)}\n\n`),
  );
}
