import { isBlank } from "../../python/blank.ts";
import { asChatError } from "../../errors.ts";
import type { ChatProvider, Prompt } from "./chat-provider.ts";
import { APIEmptyResponseError } from "./errors.ts";
import { mergeInPlace } from "./merge.ts";
import { message, type Message } from "./message.ts";
import {
  isContentPart,
  isToolCall,
  type ContentPart,
  type StreamedMessagePart,
  type ToolCall,
} from "./parts.ts";
import type { TokenUsage } from "./token-usage.ts";

/** Called while an answer comes, and awaited. */
export interface GenerateCallbacks {
  /** Every part as it came, a copy of its own, before it is merged. */
  readonly onMessagePart?: (part: StreamedMessagePart) => void | Promise<void>;
  /** Each tool call when it is complete. */
  readonly onToolCall?: (call: ToolCall) => void | Promise<void>;
  /** Once, before the first part. */
  readonly onTraceId?: (traceId: string | null) => void | Promise<void>;
}

export interface GenerateResult {
  readonly id: string | null;
  readonly message: Message;
  readonly usage: TokenUsage | null;
  readonly traceId: string | null;
}

const EMPTY = "The API returned an empty response.";
const ONLY_THOUGHTS =
  "The API returned a response containing only thinking content without any text or tool calls. " +
  "This usually indicates the stream was interrupted or the output token budget was exhausted during reasoning.";

/**
 * One answer, its parts merged as they come: a part that the one before does not take in finishes that one. Arguments
 * go to the call right before them; elsewhere they are dropped.
 * @throws ChatProviderError of the provider; APIEmptyResponseError where nothing or nothing but thoughts came.
 */
export async function generate(
  provider: ChatProvider,
  prompt: Prompt,
  callbacks: GenerateCallbacks = {},
): Promise<GenerateResult> {
  prompt.signal?.throwIfAborted();
  const stream = await provider.generate(prompt);
  await callbacks.onTraceId?.(stream.traceId ?? null);
  const content: ContentPart[] = [];
  const toolCalls: ToolCall[] = [];
  const finish = async (part: StreamedMessagePart): Promise<void> => {
    if (isContentPart(part)) content.push(part);
    if (!isToolCall(part)) return;
    toolCalls.push(part);
    await callbacks.onToolCall?.(structuredClone(part));
  };
  let pending: StreamedMessagePart | undefined;
  for await (const part of stream) {
    if (prompt.signal?.aborted === true) throw asChatError(prompt.signal.reason);
    await callbacks.onMessagePart?.(structuredClone(part));
    if (pending !== undefined && mergeInPlace(pending, part)) continue;
    if (pending !== undefined) await finish(pending);
    pending = structuredClone(part);
  }
  if (pending !== undefined) await finish(pending);
  refuseEmpty(content, toolCalls);
  return Object.freeze({
    id: stream.id,
    message: message({ role: "assistant", content, toolCalls: toolCalls.length > 0 ? toolCalls : null }),
    usage: stream.usage,
    traceId: stream.traceId ?? null,
  });
}

function refuseEmpty(content: readonly ContentPart[], toolCalls: readonly ToolCall[]): void {
  if (toolCalls.length > 0) return;
  if (content.length === 0) throw new APIEmptyResponseError(EMPTY);
  const said = content.some((part) => part.type === "text" && !isBlank(part.text));
  if (!said && content.some((part) => part.type === "think")) throw new APIEmptyResponseError(ONLY_THOUGHTS);
}
