import {
  readCount,
  readFields,
  isFields,
  readList,
  readText,
  writeTextOrJson,
  type Fields,
} from "../../../base/lenient.ts";
import { createCitationParts } from "../../base/parts.ts";
import type { EventReader, PieceEvent, ReplyEvent, WireFamily } from "../../base/events.ts";
import {
  contentPart,
  readDetailedThinking,
  readExecutedPart,
  readThinkingText,
  readToolCallPart,
} from "./message.ts";

/** Chat completions of OpenAI and of all compatible servers. */
export const CHAT_FAMILY: WireFamily = {
  usage: "chat",
  reader: createChatReader,
  chunksOf,
  counted: { last: [/"usage":\s*\{/, /"model":\s*"[^"]/], read: readCounted },
};

/** Reads a whole message as one large delta. If the completion failed, only the failure counts. */
function chunksOf(completion: Fields): readonly Fields[] | undefined {
  const failed = errorOf(completion) !== undefined;
  if (!failed && !Array.isArray(completion["choices"])) return undefined;
  const choices = readList(completion["choices"]).map((one, index) => {
    const { message, ...choice } = readFields(one);
    return { index, ...choice, ...(!failed && { delta: readFields(message) }) };
  });
  return [{ ...completion, choices }];
}

/** First index of each kind of part. The indexes set the order of the parts in a message. */
const PLACE = {
  thinking: 0,
  content: 1,
  images: 10_000,
  citations: 20_000,
  executed: 30_000,
  refusal: 40_000,
  audio: 40_001,
  calls: 50_000,
  oldCall: 90_000,
};

/** State of a choice that is being read. */
interface Choice {
  /** The type of the current content part, and the number of parts that have started. */
  content: { readonly type: string; readonly count: number };
  images: number;
  /** The place and ID of the latest call for each index that the provider sends. */
  readonly calls: Map<number, { readonly place: number; id: string | undefined }>;
  readonly places: Set<number>;
  last: number;
}

function createChatReader(): EventReader {
  const choices = new Map<number, Choice>();
  return {
    read(chunk, name) {
      const error = errorOf(chunk) ?? (name === "error" ? chunk : undefined);
      const events: ReplyEvent[] = error === undefined ? [] : [{ type: "error", error }];
      events.push(...readCounted(chunk));
      for (const one of readList(chunk["choices"])) addChoiceEvents(events, readFields(one), choices);
      // xAI lists the sources of an answer next to its choices (docs.x.ai/docs/guides/live-search, 2026-11).
      const { citations } = chunk;
      if (citations !== undefined && citations !== null) events.push({ type: "citations", citations });
      return events;
    },
  };
}

function readCounted(chunk: Fields): readonly ReplyEvent[] {
  // Groq reports usage in `x_groq`, Moonshot in the last choice.
  const usage = placesIn(chunk)
    .map((place) => place["usage"])
    .find(isFields);
  const start = { type: "start" as const, id: readText(chunk["id"]), model: readText(chunk["model"]) };
  return usage === undefined ? [start] : [start, { type: "usage", usage }];
}

function addChoiceEvents(events: ReplyEvent[], one: Fields, choices: Map<number, Choice>): void {
  const choice = readCount(one["index"]) ?? 0;
  let open = choices.get(choice);
  if (open === undefined) {
    open = { content: { type: "", count: 0 }, images: 0, calls: new Map(), places: new Set(), last: -1 };
    choices.set(choice, open);
  }
  const delta = readFields(one["delta"]);
  if (one["delta"] !== undefined) events.push({ type: "message", choice, role: readText(delta["role"]) });
  for (const event of deltaEvents(delta, open)) events.push({ ...event, choice });
  const reason = readText(one["finish_reason"]);
  if (reason !== undefined) events.push(finishOf(choice, reason));
}

/**
 * Finish reasons of an aborted answer. Sources: mistralai `completion_chunk`, openrouter
 * `ChatFinishReasonEnum` and together `FinishReason` ("error"); api-docs.deepseek.com/api/create-chat-completion
 * ("insufficient_system_resource"), 2026-11.
 */
const GIVEN_UP: ReadonlySet<string> = new Set(["error", "insufficient_system_resource"]);

function finishOf(choice: number, reason: string): ReplyEvent {
  return { type: "finish", choice, reason, ...(GIVEN_UP.has(reason) && { isGivenUp: true }) };
}

/**
 * Returns the failure in a chunk: at its top level, in a choice (OpenRouter), or in `x_groq`.
 * Sources: openrouter.ai/docs/api/reference/errors, groq-typescript `resources/chat/completions`, 2026-11.
 */
function errorOf(fields: Fields): unknown {
  return placesIn(fields)
    .map((place) => place["error"])
    .find(Boolean);
}

/** Returns the objects in which servers put usage and errors of a chunk. */
const placesIn = (chunk: Fields): readonly Fields[] => [
  chunk,
  readFields(chunk["x_groq"]),
  ...readList(chunk["choices"]).map(readFields),
];

function deltaEvents(delta: Fields, open: Choice): readonly PieceEvent[] {
  const events: PieceEvent[] = [];
  const field = ["reasoning_content", "reasoning"].find((name) => readText(delta[name]) !== undefined);
  const details = delta["reasoning_details"] === undefined ? undefined : readDetailedThinking(delta);
  const thinking = field === undefined ? details : String(delta[field]);
  if (thinking !== undefined)
    events.push({ type: "thinking", index: PLACE.thinking, text: thinking, ...(field && { field }) });
  events.push(...contentEvents(delta["content"], open));
  for (const raw of readList(delta["images"]))
    events.push({ type: "part", index: PLACE.images + open.images++, parts: [contentPart(raw)], raw });
  const { annotations, audio, function_call: old } = delta;
  const cited = annotations === undefined ? [] : createCitationParts(annotations);
  if (cited.length > 0) events.push({ type: "part", index: PLACE.citations, parts: cited, raw: annotations });
  // Tools that the provider ran. A later event replaces an earlier one (Groq).
  for (const [at, raw] of readList(delta["executed_tools"]).entries()) {
    const index = PLACE.executed + (readCount(readFields(raw)["index"]) ?? at);
    events.push({ type: "part", index, parts: [readExecutedPart(raw)], raw });
  }
  const refusal = readText(delta["refusal"]);
  if (refusal !== undefined) events.push({ type: "refusal", index: PLACE.refusal, text: refusal });
  if (isFields(audio)) events.push({ type: "audio", index: PLACE.audio, ...readAudio(audio) });
  for (const call of readList(delta["tool_calls"])) events.push(callEvent(readFields(call), open));
  if (isFields(old)) events.push({ type: "call", index: PLACE.oldCall, kind: "old", ...readCalled(old) });
  return events;
}

const readAudio = ({ id, data, transcript }: Fields) => ({
  id: readText(id),
  data: readText(data),
  transcript: readText(transcript),
});

/** Reads content: a text, or parts such as Mistral's thoughts. Consecutive parts of one type are pieces of one part. */
function contentEvents(content: unknown, open: Choice): readonly PieceEvent[] {
  const items = typeof content === "string" ? [{ type: "text", text: content }] : readList(content);
  return items.flatMap((raw): readonly PieceEvent[] => {
    const fields = typeof raw === "string" ? { type: "text", text: raw } : readFields(raw);
    const type = fields["type"];
    const text = type === "thinking" ? readThinkingText(fields["thinking"]) : fields["text"];
    const isText = (type === "text" || type === "thinking") && typeof text === "string";
    if (isText && text === "" && open.content.type !== type) return [];
    if (!isText || open.content.type !== type)
      open.content = { type: isText ? type : "", count: open.content.count + 1 };
    const index = PLACE.content + open.content.count;
    return isText ? [{ type, index, text }] : [{ type: "part", index, parts: [contentPart(raw)], raw }];
  });
}

/**
 * Reads a piece of a call. Some compatible servers send index 0 for all parallel calls, so that a new ID starts a new
 * call. Without an index, a piece without a new ID belongs to the last call.
 */
function callEvent(call: Fields, open: Choice): PieceEvent {
  const id = readText(call["id"]);
  const kind = isFields(call["custom"]) ? "custom" : undefined;
  const given = call["function"] ?? call["custom"];
  if (typeof call["index"] === "number") open.last = call["index"];
  else if (id !== undefined || open.last < 0) open.last += 1;
  let known = open.calls.get(open.last);
  if (known === undefined || (id !== undefined && known.id !== undefined && id !== known.id)) {
    // If another call already has this place, the call gets the next free one.
    const isTaken = open.places.has(open.last);
    known = { place: isTaken ? Math.max(...open.places) + 1 : open.last, id };
    open.places.add(known.place);
    open.calls.set(open.last, known);
  }
  known.id ??= id;
  const index = PLACE.calls + known.place;
  if (given) return { type: "call", index, id, kind, ...readCalled(readFields(given)) };
  return known.id === id && call["type"] !== undefined && call["type"] !== "function"
    ? { type: "part", index, parts: [readToolCallPart(call)], raw: call }
    : { type: "call", index, id };
}

function readCalled({ name, arguments: given, input }: Fields) {
  const text = given ?? input;
  const isGiven = typeof text === "string" || (typeof text === "object" && text !== null);
  return { name: readText(name), arguments: isGiven ? writeTextOrJson(text) : undefined };
}
