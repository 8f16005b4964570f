import {
  countIn,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  textIn,
} from "../../../../core/protocol/reading/lenient.ts";
import { type ChunkReader, replyOf, endEvents, startEvent } from "../../adapter.ts";
import { parsedDataUrl } from "../../../media.ts";
import type { ChatFlavour } from "./request.ts";
import { chatError, statusError } from "../../../errors.ts";
import { type ChatReply, type FinishReason, type StreamEvent, usage, type Usage } from "../../../reply.ts";
import type { ChatRequest } from "../../../request.ts";
import { pickDefined } from "../../../../core/pick-defined.ts";

/** A whole chat completion. @throws ChatError "empty" without choices, a status error where it says that it failed. */
export function chatReply(raw: unknown, request: ChatRequest, flavour: ChatFlavour): ChatReply {
  const fields = fieldsOf(raw);
  throwIfError(fields, flavour);
  const choices = listOf(fields["choices"]);
  const choice = choices.find(isFirst) ?? choices[0];
  if (choice === undefined)
    throw chatError("empty", `${flavour.name} answered without a choice.`, { provider: flavour.provider });
  const message = fieldsOf(fieldsOf(choice)["message"]);
  const reader = chunkReader({ mediaType: audioType(request), whole: true }, flavour);
  // A whole message is one big delta.
  const { message: _whole, ...rest } = fieldsOf(choice);
  return replyOf(reader, [{ ...fields, choices: [{ ...rest, index: 0, delta: message }] }]);
}

/** Reads the chunks of one streamed completion. Only the first choice is looked at. */
export function chatChunks(request: ChatRequest, flavour: ChatFlavour): ChunkReader {
  return chunkReader({ mediaType: audioType(request), whole: false }, flavour);
}

/** Audio comes in the format that was asked for. */
function audioType({ settings }: ChatRequest): string {
  return `audio/${textIn(fieldsOf(settings?.extra?.["audio"])["format"]) ?? "wav"}`;
}

function chunkReader(audio: AudioReading, flavour: ChatFlavour): ChunkReader {
  let finish: string | undefined;
  let refused = false;
  let counts: Usage | undefined;
  let started = false;
  const calls = callPlaces();
  return {
    read(one) {
      const chunk = fieldsOf(one);
      throwIfError(chunk, flavour);
      const events: StreamEvent[] = started ? [] : startOf(chunk);
      started ||= events.length > 0;
      counts = chatUsage(chunk["usage"] ?? fieldsOf(chunk["x_groq"])["usage"]) ?? counts;
      const choice = fieldsOf(listOf(chunk["choices"]).find(isFirst));
      const delta = fieldsOf(choice["delta"]);
      finish = textIn(choice["finish_reason"]) ?? finish;
      refused ||= textIn(delta["refusal"]) !== undefined;
      return [
        ...events,
        ...saidPieces(delta, audio),
        ...listOf(delta["tool_calls"]).map((call) => calls.piece(call)),
      ];
    },
    end: () => endEvents(counts, finish, (raw) => reasonOf(raw, refused, calls.count())),
  };
}

/** Some servers say "stop" where they call a tool. */
function reasonOf(finish: string, refused: boolean, calls: number): FinishReason {
  if (refused) return "content-filter";
  const reason = chatFinish(finish);
  return reason === "stop" && calls > 0 ? "tool-calls" : reason;
}

function startOf(chunk: Fields): StreamEvent[] {
  const { id, model } = chunk;
  return textIn(id) === undefined && textIn(model) === undefined ? [] : [startEvent(id, model)];
}

const isFirst = (choice: unknown): boolean => (fieldsOf(choice)["index"] ?? 0) === 0;

/** Tool calls by their index; without one, a new id begins a new call and anything else goes to the last. */
function callPlaces(): { piece(call: unknown): StreamEvent; count(): number } {
  const places = new Set<number>();
  let last = -1;
  return {
    count: () => places.size,
    piece(call) {
      const fields = fieldsOf(call);
      const { name, arguments: given } = fieldsOf(fields["function"] ?? fields["custom"]);
      const id = textIn(fields["id"]);
      if (typeof fields["index"] === "number") last = fields["index"];
      else if (id !== undefined || last < 0) last += 1;
      places.add(last);
      const text = typeof given === "string" ? given : isFields(given) ? JSON.stringify(given) : undefined;
      const called = textIn(name);
      return pickDefined({ type: "tool-call", index: PLACE.calls + last, id, name: called, arguments: text });
    },
  };
}

/** A failure that came with status 200. */
function throwIfError(fields: Fields, flavour: ChatFlavour): void {
  const { error } = fields;
  if (!isFields(error)) return;
  const message = textIn(error["message"]) ?? JSON.stringify(error);
  const status = Number(error["code"]);
  throw Number.isInteger(status) && status >= 400
    ? statusError(status, message, { provider: flavour.provider })
    : chatError("status", message, { provider: flavour.provider });
}

/** Where the parts of an answer stand: thinking, audio, text, images, then the tool calls by their own index. */
export const PLACE = { thinking: 0, audio: 1, text: 2, images: 10, calls: 1000 } as const;

/** How audio is to be read: its type, and whether it comes whole. */
interface AudioReading {
  readonly mediaType: string;
  readonly whole: boolean;
}

/** The pieces that a delta, or a whole message, has of everything but tool calls. */
function saidPieces(fields: Fields, audio: AudioReading): StreamEvent[] {
  const pieces: StreamEvent[] = [];
  const think = thinkingIn(fields);
  if (think !== undefined) {
    const extras = { openai: { field: think.field } };
    pieces.push({ type: "thinking", index: PLACE.thinking, text: think.text, extras });
  }
  pieces.push(...contentPieces(fields["content"]));
  const refusal = textIn(fields["refusal"]);
  if (refusal !== undefined) pieces.push({ type: "text", index: PLACE.text, text: refusal });
  pieces.push(...audioPieces(fields["audio"], audio), ...imagePieces(fields["images"]));
  return pieces;
}

/** A text; or parts, in which Mistral gives its thoughts. */
function contentPieces(content: unknown): StreamEvent[] {
  const text = textIn(content);
  if (text !== undefined) return [{ type: "text", index: PLACE.text, text }];
  return listOf(content).flatMap((one): StreamEvent[] => {
    const part = fieldsOf(one);
    if (part["type"] !== "thinking") {
      const said = textIn(part["text"]);
      return said === undefined ? [] : [{ type: "text", index: PLACE.text, text: said }];
    }
    const thought =
      textIn(part["thinking"]) ??
      listOf(part["thinking"])
        .map((piece) => textIn(fieldsOf(piece)["text"]) ?? "")
        .join("");
    return thought === "" ? [] : [{ type: "thinking", index: PLACE.thinking, text: thought }];
  });
}

function thinkingIn(fields: Fields): { readonly field: string; readonly text: string } | undefined {
  for (const field of ["reasoning_content", "reasoning"]) {
    const text = textIn(fields[field]);
    if (text !== undefined) return { field, text };
  }
  return undefined;
}

function audioPieces(audio: unknown, { mediaType, whole }: AudioReading): StreamEvent[] {
  if (!isFields(audio)) return [];
  const [id, transcript, data = ""] = [audio["id"], audio["transcript"], audio["data"]].map(textIn);
  if (data === "" && transcript === undefined) return [];
  const said = transcript !== undefined && { transcript };
  if (!whole) return [{ type: "audio", index: PLACE.audio, data, mediaType, ...said }];
  const source = { kind: "base64" as const, mediaType, data };
  const part = {
    type: "audio" as const,
    source,
    ...said,
    ...(id !== undefined && { extras: { openai: { id } } }),
  };
  return [{ type: "media", index: PLACE.audio, part }];
}

/** OpenRouter's way of giving pictures. */
function imagePieces(images: unknown): StreamEvent[] {
  return listOf(images).flatMap((one, index): StreamEvent[] => {
    const url = textIn(fieldsOf(fieldsOf(one)["image_url"])["url"]);
    if (url === undefined) return [];
    const source = parsedDataUrl(url) ?? { kind: "url" as const, url };
    return [{ type: "media", index: PLACE.images + index, part: { type: "image", source } }];
  });
}

/** OpenAI's prompt includes what came from a cache; DeepSeek says that in a field of its own. */
export function chatUsage(raw: unknown): Usage | undefined {
  if (!isFields(raw)) return undefined;
  const prompt = countIn(raw["prompt_tokens"]);
  const completion = countIn(raw["completion_tokens"]);
  if (prompt === undefined && completion === undefined) return undefined;
  const details = fieldsOf(raw["prompt_tokens_details"]);
  const cacheReadTokens = countIn(details["cached_tokens"]) ?? countIn(raw["prompt_cache_hit_tokens"]) ?? 0;
  const cacheWriteTokens =
    countIn(details["cache_write_tokens"]) ?? countIn(details["cache_creation_input_tokens"]) ?? 0;
  return usage({
    uncachedInputTokens: Math.max(0, (prompt ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: completion ?? 0,
    reasoningTokens: countIn(fieldsOf(raw["completion_tokens_details"])["reasoning_tokens"]) ?? 0,
    raw,
  });
}

/** Source: platform.openai.com/docs/api-reference/chat/object, 2026-11. */
export const chatFinish = (reason: string): FinishReason => FINISH[reason] ?? "other";

const FINISH: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
  error: "error",
};
