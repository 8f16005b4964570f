import { isFields } from "../../core/base/lenient.ts";
import type { ThinkingEffort } from "../../client/request.ts";
import type { JsonSchema } from "../../client/tool.ts";
import type { Message } from "./message.ts";
import type { StreamedMessagePart } from "./parts.ts";
import type { TokenUsage } from "./token-usage.ts";

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export interface Prompt {
  readonly systemPrompt: string;
  readonly tools: readonly Tool[];
  readonly history: readonly Message[];
  readonly signal?: AbortSignal;
}

/** The parts of an answer as they arrive, to be read once. ID and usage may be known only at the end. */
export interface StreamedMessage extends AsyncIterable<StreamedMessagePart> {
  readonly id: string | null;
  readonly usage: TokenUsage | null;
  readonly traceId?: string | null;
}

export interface ChatProvider {
  readonly name: string;
  readonly modelName: string;
  readonly thinkingEffort: ThinkingEffort | null;
  /** May fail before the first part. @throws ChatProviderError */
  generate(prompt: Prompt): Promise<StreamedMessage>;
  /** Returns a copy with this thinking effort. */
  withThinking(effort: ThinkingEffort): ChatProvider;
}

/** A provider that can recover from an error before the next try, for example by opening a new connection. */
export interface RetryableChatProvider extends ChatProvider {
  /** Returns whether it recovered. */
  onRetryableError(error: unknown): boolean;
}

export function isRetryableChatProvider(provider: ChatProvider): provider is RetryableChatProvider {
  return isFields(provider) && typeof provider["onRetryableError"] === "function";
}

export function isChatProvider(value: unknown): value is ChatProvider {
  return (
    isFields(value) &&
    typeof value["name"] === "string" &&
    typeof value["generate"] === "function" &&
    typeof value["withThinking"] === "function"
  );
}

/** Asks the wrapped provider to recover. False if it cannot. */
export function recover(provider: ChatProvider, error: unknown): boolean {
  return isRetryableChatProvider(provider) && provider.onRetryableError(error);
}

/** Converts a kosong effort to OpenAI's `reasoning_effort`. Null if the request has none. */
export function effortToOpenAI(effort: ThinkingEffort): Exclude<ThinkingEffort, "off" | "max"> | null {
  if (effort === "off") return null;
  return effort === "max" ? "xhigh" : effort;
}

/** Converts OpenAI's `reasoning_effort` to a kosong effort. */
export function effortFromOpenAI(
  effort: "none" | "minimal" | "low" | "medium" | "high" | "xhigh" | null,
): ThinkingEffort {
  if (effort === null || effort === "none") return "off";
  return effort === "minimal" ? "low" : effort;
}
