import {
  countIn,
  fieldsOf,
  isFields,
  listOf,
  textIn,
  type Fields,
} from "../../../core/protocol/reading/lenient.ts";
import { chatError } from "../../errors.ts";
import type { MediaPart } from "../../message.ts";
import { type ChatReply, type FinishReason, type StreamEvent, usage, type Usage } from "../../reply.ts";
import { replyOf, endEvents, startEvent } from "../adapter.ts";
import type { ChunkReader } from "../fold.ts";
import { createCallJoiner } from "./partial-calls.ts";

/** A whole answer. @throws ChatError "empty" where there is neither a candidate nor a reason. */
export function geminiReply(raw: unknown): ChatReply {
  const { candidates, promptFeedback } = fieldsOf(raw);
  if (listOf(candidates).length === 0 && !isFields(promptFeedback))
    throw chatError("empty", "Gemini answered without a candidate.", { provider: "gemini" });
  return replyOf(geminiChunks(), [raw]);
}

interface State {
  started: boolean;
  index: number;
  /** What the last piece was: pieces of one kind that follow each other are one part. */
  open: "text" | "thinking" | undefined;
  calls: number;
  finish: string | undefined;
  usage: Usage | undefined;
}

export function geminiChunks(): ChunkReader {
  const calls = createCallJoiner();
  const state: State = {
    started: false,
    index: -1,
    open: undefined,
    calls: 0,
    finish: undefined,
    usage: undefined,
  };
  return {
    read(one) {
      const chunk = fieldsOf(one);
      const events = startOf(chunk, state);
      const [first] = listOf(chunk["candidates"]);
      const candidate = fieldsOf(first);
      const parts = listOf(fieldsOf(candidate["content"])["parts"]).map(fieldsOf);
      const finish =
        textIn(candidate["finishReason"]) ?? textIn(fieldsOf(chunk["promptFeedback"])["blockReason"]);
      const whole = [
        ...parts.flatMap((part) => calls.take(part)),
        ...(finish === undefined ? [] : calls.rest()),
      ];
      for (const part of whole) events.push(...piecesOf(part, state));
      state.finish = finish ?? state.finish;
      state.usage = usageOf(chunk["usageMetadata"]) ?? state.usage;
      return events;
    },
    end: () => endEvents(state.usage, state.finish, (finish) => reasonOf(finish, state.calls)),
  };
}

function startOf(chunk: Fields, state: State): StreamEvent[] {
  if (state.started) return [];
  state.started = true;
  return [startEvent(chunk["responseId"], chunk["modelVersion"])];
}

function piecesOf(part: Fields, state: State): StreamEvent[] {
  const signature = textIn(part["thoughtSignature"]);
  const signed = signature === undefined ? {} : { signature };
  if (isFields(part["functionCall"])) return [callOf(part["functionCall"], signed, state)];
  const media = mediaOf(part["inlineData"]);
  if (media !== undefined) {
    const extras = signature === undefined ? {} : { extras: { gemini: { thoughtSignature: signature } } };
    return [{ type: "media", index: next(state, undefined), part: { ...media, ...extras } }];
  }
  const text = textIn(part["text"]) ?? "";
  if (text === "" && signature === undefined) return [];
  const type = part["thought"] === true ? "thinking" : "text";
  return [{ type, index: next(state, type), text, ...signed }];
}

function next(state: State, kind: State["open"]): number {
  if (kind === undefined || state.open !== kind) state.index += 1;
  state.open = kind;
  return state.index;
}

function callOf(call: Fields, signed: { readonly signature?: string }, state: State): StreamEvent {
  const [id = `call_${state.calls}`, name = ""] = [textIn(call["id"]), textIn(call["name"])];
  state.calls += 1;
  const text = JSON.stringify(fieldsOf(call["args"]));
  return { type: "tool-call", index: next(state, undefined), id, name, arguments: text, ...signed };
}

function mediaOf(inline: unknown): MediaPart | undefined {
  const { mimeType, data } = fieldsOf(inline);
  const [mediaType, content] = [textIn(mimeType), textIn(data)];
  if (mediaType === undefined || content === undefined) return undefined;
  const source = { kind: "base64" as const, mediaType, data: content };
  const kind = (["image", "audio", "video"] as const).find((one) => mediaType.startsWith(`${one}/`));
  return { type: kind ?? "file", source };
}

/** The prompt's count includes what came from a cache; thinking is counted apart from what was said. */
function usageOf(raw: unknown): Usage | undefined {
  if (!isFields(raw)) return undefined;
  const count = (name: string): number => countIn(raw[name]) ?? 0;
  const prompt = count("promptTokenCount");
  const reasoningTokens = count("thoughtsTokenCount");
  const cacheReadTokens = count("cachedContentTokenCount");
  const said = countIn(raw["candidatesTokenCount"]);
  const left = Math.max(0, count("totalTokenCount") - prompt - count("toolUsePromptTokenCount"));
  return usage({
    uncachedInputTokens: Math.max(0, prompt - cacheReadTokens) + count("toolUsePromptTokenCount"),
    cacheReadTokens,
    outputTokens: said === undefined && reasoningTokens === 0 ? left : (said ?? 0) + reasoningTokens,
    reasoningTokens,
    raw,
  });
}

function reasonOf(finish: string, calls: number): FinishReason {
  if (finish === "STOP") return calls > 0 ? "tool-calls" : "stop";
  if (finish === "MAX_TOKENS") return "length";
  if (finish === "MALFORMED_FUNCTION_CALL" || finish === "UNEXPECTED_TOOL_CALL") return "error";
  return FILTERED.has(finish) ? "content-filter" : "other";
}

/** Source: ai.google.dev/api/generate-content, FinishReason and BlockReason, 2026-11. */
const FILTERED = new Set(
  "SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_RECITATION OTHER BLOCK_REASON_UNSPECIFIED".split(
    " ",
  ),
);
