import {
  readCount,
  type Fields,
  isFields,
  readFields,
  readList,
  readString,
  sortPieces,
} from "../../core/base/lenient.ts";
import { sdkError } from "./sdk-failure.ts";
import { chatError } from "../errors.ts";
import type { ToolCallEvent } from "../../core/protocol/base/events.ts";
import { CHAT_FAMILY } from "../../core/protocol/openai/chat/reply.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/** A request in the format of OpenAI's chat completions. */
export type CompletionParams = Fields;

export interface SendOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Answers requests in the format of OpenAI's chat completions: the official SDK, or any `ChatClient` (`completionsOf`).
 * With `stream: true`, the answer is an async iterable of chunks, otherwise one completion.
 */
export interface Completions {
  create(params: CompletionParams, options: SendOptions): Promise<unknown>;
}

/** The used part of the official OpenAI SDK, also for Azure and DashScope. */
interface OpenAiLike {
  readonly chat: {
    readonly completions: {
      create(params: never, options?: { timeout?: number; signal?: AbortSignal }): unknown;
    };
  };
}

/** Adapts the official SDK. Pass `maxRetries: 0` to the SDK to disable its retries. */
export function sdkCompletions(sdk: OpenAiLike): Completions {
  return {
    async create(params, { timeoutMs, signal }) {
      const { timeout: _, ...body } = params;
      const options = pickDefined({ timeout: timeoutMs, signal });
      try {
        return await sdk.chat.completions.create(body as never, options);
      } catch (error) {
        throw sdkError(error);
      }
    },
  };
}

interface WireToolCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: string;
}

export function convertFunctionCall({ id, name, arguments: text }: WireToolCall): Fields {
  return { id, type: "function", function: { name, arguments: text } };
}

/** The used parts of a completion. */
export interface ReadChoice {
  /** The message object; null if the choice has none. */
  readonly message: Fields | null;
  readonly content: string | null;
  /** Undefined if the message has no list of tool calls. */
  readonly toolCalls: readonly WireToolCall[] | undefined;
  readonly finishReason: string | null;
}

/** Returns the first choice of a completion, if it has one. */
export function readFirstChoice(completion: unknown): ReadChoice | undefined {
  const [choice] = readList(readFields(completion)["choices"]);
  if (choice === undefined || choice === null) return undefined;
  const { message, finish_reason: reason } = readFields(choice);
  const { content, tool_calls: calls } = readFields(message);
  return {
    message: typeof message === "object" && message !== null ? readFields(message) : null,
    content: readString(content) ?? null,
    toolCalls: Array.isArray(calls) ? calls.map(readToolCall) : undefined,
    finishReason: readString(reason) ?? null,
  };
}

export function readToolCall(call: unknown): WireToolCall {
  const { id, function: called } = readFields(call);
  const { name, arguments: args } = readFields(called);
  return { id: readString(id) ?? null, name: readString(name) ?? "", arguments: readString(args) ?? "" };
}

/** Tokens as counted by OpenAI: the prompt includes cached tokens. */
export interface ReadUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}

/** Reads the usage of a completion; null members count 0. Returns undefined if there is none. */
export const readCompletionUsage = (answer: unknown): ReadUsage | undefined =>
  readUsage(readFields(answer)["usage"]);

export function readUsage(usage: unknown): ReadUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const fields = readFields(usage);
  return {
    promptTokens: readCount(fields["prompt_tokens"]) ?? 0,
    completionTokens: readCount(fields["completion_tokens"]) ?? 0,
    cachedTokens: readCount(readFields(fields["prompt_tokens_details"])["cached_tokens"]) ?? 0,
    reasoningTokens: readCount(readFields(fields["completion_tokens_details"])["reasoning_tokens"]) ?? 0,
  };
}

export function isStream(value: unknown): value is AsyncIterable<unknown> {
  return isFields(value) && Symbol.asyncIterator in value;
}

/** Yields the chunks of a streamed answer. @throws ChatError "validation" if the answer is not a stream */
export async function* streamChunks(answer: unknown): AsyncGenerator {
  if (!isStream(answer))
    throw chatError("validation", "The request asked for a stream, but the answer is not a stream.");
  try {
    yield* answer;
  } catch (error) {
    throw sdkError(error);
  }
}

/** Callbacks for the non-empty pieces of a stream while it is joined. */
interface PieceListeners {
  readonly onText?: ((piece: string) => void) | undefined;
  readonly onThought?: (piece: string) => void;
}

/**
 * Joins a stream into a completion. Usage is in a late chunk, or in the last choice for some services.
 */
export async function joinChunks(answer: unknown, listeners: PieceListeners = {}): Promise<Fields> {
  const reader = CHAT_FAMILY.reader();
  const calls = new Map<number, WireToolCall>();
  let content: string | null = null;
  let reason: string | null = null;
  let usage: unknown;
  let isAnswered = false;
  for await (const chunk of streamChunks(answer)) {
    for (const event of reader.read(readFields(chunk))) {
      if (event.type === "usage") ({ usage } = event);
      if (!("choice" in event) || event.choice !== 0) continue;
      isAnswered = true;
      if (event.type === "finish") ({ reason } = event);
      if (event.type === "call") calls.set(event.index, withMore(calls.get(event.index), event));
      if (event.type === "text") {
        content = (content ?? "") + event.text;
        if (event.text !== "") listeners.onText?.(event.text);
      }
      if (event.type === "thinking" && event.field === "reasoning_content") listeners.onThought?.(event.text);
    }
  }
  if (!isAnswered) return { choices: [], ...pickDefined({ usage }) };
  const toolCalls = sortPieces(calls).map(convertFunctionCall);
  const message = { role: "assistant", content, ...(toolCalls.length > 0 && { tool_calls: toolCalls }) };
  return { choices: [{ message, finish_reason: reason }], ...pickDefined({ usage }) };
}

function withMore(
  known: WireToolCall | undefined,
  { id, name, arguments: text = "" }: ToolCallEvent,
): WireToolCall {
  return {
    id: known?.id ?? id ?? null,
    name: known?.name || (name ?? ""),
    arguments: (known?.arguments ?? "") + text,
  };
}
