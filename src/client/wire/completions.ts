import { countIn, type Fields, fieldsOf, listOf, stringIn, inOrder } from "../../core/base/lenient.ts";
import { functionCall } from "../adapters/request-parts.ts";
import { sdkFailure } from "../adapters/sdk-failure.ts";
import { asChatError, chatError, type ChatError, isChatError } from "../errors.ts";
import type { ToolCallEvent } from "../../core/protocol/base/events.ts";
import { CHAT_FAMILY } from "../../core/protocol/openai/chat/reply.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

/** A request in the shape of OpenAI's chat completions. */
export type CompletionParams = Fields;

export interface SendOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Whoever answers requests in the shape of OpenAI's chat completions: the official SDK, or any `ChatClient`
 * (`completionsOf`). With `stream: true` the answer is an async iterable of chunks, otherwise one completion.
 */
export interface Completions {
  create(params: CompletionParams, options: SendOptions): Promise<unknown>;
}

/** The part of the official OpenAI SDK (and of its Azure and DashScope relatives) that is used. */
interface OpenAiLike {
  readonly chat: {
    readonly completions: {
      create(params: never, options?: { timeout?: number; signal?: AbortSignal }): unknown;
    };
  };
}

/** The official SDK as `Completions`. Its own retries are up to whoever made it: pass `maxRetries: 0`. */
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

/** A failure of an official SDK as a `ChatError`, with the SDK's own text. */
export function sdkError(thrown: unknown, provider = "openai"): ChatError {
  if (isChatError(thrown) || !(thrown instanceof Error) || thrown.name === "AbortError")
    return asChatError(thrown);
  return Object.assign(sdkFailure(thrown, provider), { message: thrown.message });
}

interface WireToolCall {
  readonly id: string | null;
  readonly name: string;
  readonly arguments: string;
}

/** What a completion says, whatever else it holds. */
export interface ReadChoice {
  /** The message object itself; null where the choice has none. */
  readonly message: Fields | null;
  readonly content: string | null;
  /** Undefined where the message has no list of tool calls. */
  readonly toolCalls: readonly WireToolCall[] | undefined;
  readonly finishReason: string | null;
}

/** The first choice of a completion, or undefined where it has none. */
export function firstChoice(completion: unknown): ReadChoice | undefined {
  const [choice] = listOf(fieldsOf(completion)["choices"]);
  if (choice === undefined || choice === null) return undefined;
  const { message, finish_reason: reason } = fieldsOf(choice);
  const { content, tool_calls: calls } = fieldsOf(message);
  return {
    message: typeof message === "object" && message !== null ? fieldsOf(message) : null,
    content: stringIn(content) ?? null,
    toolCalls: Array.isArray(calls) ? calls.map(readToolCall) : undefined,
    finishReason: stringIn(reason) ?? null,
  };
}

export function readToolCall(call: unknown): WireToolCall {
  const { id, function: called } = fieldsOf(call);
  const { name, arguments: args } = fieldsOf(called);
  return { id: stringIn(id) ?? null, name: stringIn(name) ?? "", arguments: stringIn(args) ?? "" };
}

/** Tokens as OpenAI counts them: the prompt's include what came from a cache. Undefined where there is no usage. */
export interface ReadUsage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
}

/** The usage of a completion; null fields count 0. */
export const usageOf = (answer: unknown): ReadUsage | undefined => readUsage(fieldsOf(answer)["usage"]);

export function readUsage(usage: unknown): ReadUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const fields = fieldsOf(usage);
  return {
    promptTokens: countIn(fields["prompt_tokens"]) ?? 0,
    completionTokens: countIn(fields["completion_tokens"]) ?? 0,
    cachedTokens: countIn(fieldsOf(fields["prompt_tokens_details"])["cached_tokens"]) ?? 0,
    reasoningTokens: countIn(fieldsOf(fields["completion_tokens_details"])["reasoning_tokens"]) ?? 0,
  };
}

/** The chunks of a streamed answer. @throws ChatError "validation" where the answer is no stream. */
export async function* chunksOf(answer: unknown): AsyncGenerator {
  if (typeof answer !== "object" || answer === null || !(Symbol.asyncIterator in answer)) {
    throw chatError("validation", "A stream was asked for, and the provider answered with something else.");
  }
  try {
    yield* answer as AsyncIterable<unknown>;
  } catch (error) {
    throw sdkError(error);
  }
}

/** Told of the pieces of a stream while it is joined; never of an empty one. */
interface PieceListeners {
  readonly onText?: ((piece: string) => void) | undefined;
  readonly onThought?: (piece: string) => void;
}

/**
 * Joins a stream into the completion: texts are joined, tool calls merged. Usage is in a late chunk, or with some
 * services in the last choice.
 */
export async function joinChunks(answer: unknown, listeners: PieceListeners = {}): Promise<Fields> {
  const reader = CHAT_FAMILY.reader();
  const calls = new Map<number, WireToolCall>();
  let content: string | null = null;
  let reason: string | null = null;
  let usage: unknown;
  let isAnswered = false;
  for await (const chunk of chunksOf(answer)) {
    for (const event of reader.read(fieldsOf(chunk))) {
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
  const toolCalls = inOrder(calls).map(functionCall);
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
