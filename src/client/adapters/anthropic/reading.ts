import { countIn, fieldsOf, listOf, textIn, type Fields } from "../../../core/protocol/reading/lenient.ts";
import { type ChatReply, type FinishReason, type PartPiece, type StreamEvent, usage } from "../../reply.ts";
import type { ChatRequest } from "../../request.ts";
import { replyOf, endEvents, startEvent } from "../adapter.ts";
import type { ChunkReader } from "../fold.ts";
import { STRUCTURED_TOOL } from "../request-parts.ts";
import { pickDefined } from "../../../core/pick-defined.ts";

/** A whole message. Blocks that are no parts (the provider's own tools at work) stand in the raw answer only. */
export function anthropicReply(raw: unknown, request: ChatRequest): ChatReply {
  const message = fieldsOf(raw);
  const blocks = listOf(message["content"]).map((content_block, index) => ({
    type: "content_block_start",
    index,
    content_block,
  }));
  const { stop_reason } = message;
  const end = { type: "message_delta", delta: { stop_reason } };
  return replyOf(anthropicChunks(request), [
    { type: "message_start", message: { ...message, content: [] } },
    ...blocks,
    end,
    { type: "message_stop" },
  ]);
}

interface State {
  usage: Fields;
  stop: string | undefined;
  /** The forced tool's blocks, whose input is the answer's text, and whether it came. */
  readonly structured: Map<number, boolean>;
  /** Blocks that call the caller's own tools, and whether arguments came; the provider's tools have arguments too. */
  readonly calls: Map<number, boolean>;
  readonly asksForOutput: boolean;
}

/** Reads the events of one streamed message. Source: docs.anthropic.com/en/docs/build-with-claude/streaming, 2026-11. */
export function anthropicChunks({ output }: ChatRequest): ChunkReader {
  const state: State = {
    usage: {},
    stop: undefined,
    structured: new Map(),
    calls: new Map(),
    asksForOutput: output !== undefined,
  };
  return {
    read: (event) => readEvent(fieldsOf(event), state),
    end() {
      // A tool without parameters is called with nothing; everywhere else that is an empty object.
      const calls = bareOf(state.calls).map((index) => ({
        type: "tool-call" as const,
        index,
        arguments: "{}",
      }));
      const answers = bareOf(state.structured).map((index) => ({ type: "text" as const, index, text: "{}" }));
      const counted = Object.keys(state.usage).length > 0 ? usageOf(state.usage) : undefined;
      const reason = (stop: string): FinishReason =>
        state.structured.size > 0 ? "stop" : (FINISH[stop] ?? "other");
      return [...calls, ...answers, ...endEvents(counted, state.stop, reason)];
    },
  };
}

/** The blocks of which nothing came. */
function bareOf(written: ReadonlyMap<number, boolean>): number[] {
  return [...written].filter(([, came]) => !came).map(([index]) => index);
}

function readEvent(event: Fields, state: State): StreamEvent[] {
  if (event["type"] === "message_start") return start(fieldsOf(event["message"]), state);
  if (event["type"] === "content_block_start") return block(event, state);
  if (event["type"] === "content_block_delta") return delta(event, state);
  if (event["type"] !== "message_delta") return [];
  state.stop = textIn(fieldsOf(event["delta"])["stop_reason"]) ?? state.stop;
  // Counts at the end stand, but a count that is missing or null there is known from the beginning.
  const counts = Object.entries(fieldsOf(event["usage"])).filter(([, count]) => count !== null);
  state.usage = { ...state.usage, ...Object.fromEntries(counts) };
  return [];
}

function start(message: Fields, state: State): StreamEvent[] {
  state.usage = fieldsOf(message["usage"]);
  return [startEvent(message["id"], message["model"])];
}

function block(event: Fields, state: State): StreamEvent[] {
  const content = fieldsOf(event["content_block"]);
  const index = countIn(event["index"]) ?? 0;
  switch (content["type"]) {
    case "text":
      return nonEmpty({ type: "text", index, text: textIn(content["text"]) ?? "" });
    case "thinking": {
      const signature = textIn(content["signature"]);
      const text = textIn(content["thinking"]) ?? "";
      return [{ type: "thinking", index, text, ...pickDefined({ signature }) }];
    }
    case "redacted_thinking": {
      const redacted = textIn(content["data"]) ?? "";
      return [{ type: "thinking", index, text: "", extras: { anthropic: { redacted } } }];
    }
    case "tool_use":
      return call(content, index, state);
    default:
      return [];
  }
}

function call(content: Fields, index: number, state: State): StreamEvent[] {
  const input = fieldsOf(content["input"]);
  const whole = Object.keys(input).length > 0 ? JSON.stringify(input) : "";
  const [id = "", name = ""] = [textIn(content["id"]), textIn(content["name"])];
  if (!state.asksForOutput || name !== STRUCTURED_TOOL) {
    state.calls.set(index, whole !== "");
    return [{ type: "tool-call", index, id, name, arguments: whole }];
  }
  state.structured.set(index, whole !== "");
  return nonEmpty({ type: "text", index, text: whole });
}

function delta(event: Fields, state: State): StreamEvent[] {
  const told = fieldsOf(event["delta"]);
  const index = countIn(event["index"]) ?? 0;
  switch (told["type"]) {
    case "text_delta":
      return nonEmpty({ type: "text", index, text: textIn(told["text"]) ?? "" });
    case "thinking_delta":
      return nonEmpty({ type: "thinking", index, text: textIn(told["thinking"]) ?? "" });
    case "signature_delta": {
      const signature = textIn(told["signature"]);
      return signature === undefined ? [] : [{ type: "thinking", index, text: "", signature }];
    }
    case "input_json_delta": {
      const text = textIn(told["partial_json"]) ?? "";
      if (text === "") return [];
      if (state.structured.has(index)) {
        state.structured.set(index, true);
        return [{ type: "text", index, text }];
      }
      if (!state.calls.has(index)) return [];
      state.calls.set(index, true);
      return [{ type: "tool-call", index, arguments: text }];
    }
    default:
      return [];
  }
}

function nonEmpty(piece: Extract<PartPiece, { type: "text" | "thinking" }>): StreamEvent[] {
  return piece.text === "" ? [] : [piece];
}

function usageOf(raw: Fields) {
  return usage({
    uncachedInputTokens: countIn(raw["input_tokens"]) ?? 0,
    cacheReadTokens: countIn(raw["cache_read_input_tokens"]) ?? 0,
    cacheWriteTokens: countIn(raw["cache_creation_input_tokens"]) ?? 0,
    outputTokens: countIn(raw["output_tokens"]) ?? 0,
    raw,
  });
}

const FINISH: Readonly<Record<string, FinishReason>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "content-filter",
};
