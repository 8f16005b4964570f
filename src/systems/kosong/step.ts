import { asChatError } from "../../client/errors.ts";
import { isBlank } from "../../client/python/blank.ts";
import { realSurroundings, type Surroundings } from "../../client/surroundings.ts";
import type { ChatProvider, Prompt } from "./chat-provider.ts";
import { APIEmptyResponseError } from "./errors.ts";
import { type Message, message } from "./message.ts";
import {
  type ContentPart,
  isContentPart,
  isToolCall,
  mergeInPlace,
  type StreamedMessagePart,
  type ToolCall,
} from "./parts.ts";
import type { TokenUsage } from "./token-usage.ts";
import type { ToolResult, Toolset } from "./toolset.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";

export interface StepOptions extends Pick<GenerateCallbacks, "onMessagePart" | "onTraceId"> {
  readonly systemPrompt: string;
  readonly history: readonly Message[];
  /** Called with each result when its tool finishes. */
  readonly onToolResult?: (result: ToolResult) => void;
  readonly signal?: AbortSignal;
  /** How long to wait for canceled tools to end. Default 5 s. */
  readonly cancelGraceMs?: number;
  readonly surroundings?: Surroundings;
}

export interface StepResult extends GenerateResult {
  readonly toolCalls: readonly ToolCall[];
  /**
   * Returns the results in the order of the calls. A failing one cancels the others and waits for them.
   * @throws the first failure.
   */
  readonly toolResults: () => Promise<readonly ToolResult[]>;
}

/**
 * Generates one answer and runs its tool calls while the answer still arrives. The history is not changed.
 * @throws what `generate` throws, after the running tools are canceled and have ended.
 */
export async function step(
  provider: ChatProvider,
  toolset: Toolset,
  options: StepOptions,
): Promise<StepResult> {
  const {
    systemPrompt,
    history,
    onMessagePart,
    onTraceId,
    signal,
    surroundings = realSurroundings(),
  } = options;
  const running = createRunning(toolset, options, surroundings);
  const abort = (): void => running.abort();
  signal?.addEventListener("abort", abort);
  const prompt = { systemPrompt, tools: toolset.tools, history: [...history], ...pickDefined({ signal }) };
  const callbacks = pickDefined({ onMessagePart, onTraceId });
  try {
    const generated = await generate(provider, prompt, {
      ...callbacks,
      onToolCall: (call) => running.start(call),
    });
    const results = running.results();
    void results.catch(() => undefined).finally(() => signal?.removeEventListener("abort", abort));
    return Object.freeze({ ...generated, toolCalls: running.calls(), toolResults: () => results });
  } catch (error) {
    signal?.removeEventListener("abort", abort);
    await running.cancel();
    throw error;
  }
}

interface RunningTools {
  start(call: ToolCall): void;
  calls(): readonly ToolCall[];
  results(): Promise<readonly ToolResult[]>;
  /** Aborts the running tools and ignores their callbacks. */
  abort(): void;
  /** As `abort`, and waits until they have ended or the grace is over. */
  cancel(): Promise<void>;
}

/** The calls of one step by position, so that two calls with the same ID have separate results. */
function createRunning(toolset: Toolset, options: StepOptions, surroundings: Surroundings): RunningTools {
  const { onToolResult, cancelGraceMs = 5000 } = options;
  const calls: ToolCall[] = [];
  const results: Promise<ToolResult>[] = [];
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  const handle = async (call: ToolCall): Promise<ToolResult> => {
    const result = await toolset.handle(call, { toolCallId: call.id, signal: controller.signal });
    if (!controller.signal.aborted) onToolResult?.(result);
    return result;
  };
  const cancel = async (): Promise<void> => {
    abort();
    const over = new AbortController();
    const grace = surroundings.sleep(cancelGraceMs, over.signal).catch(() => undefined);
    await Promise.race([Promise.allSettled(results), grace]);
    over.abort();
  };
  const stopped = new Promise<never>((_, reject) => {
    controller.signal.addEventListener("abort", () => reject(options.signal?.reason));
  });
  stopped.catch(() => undefined);
  return {
    abort,
    cancel,
    calls: () => Object.freeze([...calls]),
    start(call) {
      if (calls.some(({ id }) => id === call.id))
        surroundings.log({ level: "warning", message: `Two tool calls have the id ${call.id}.` });
      calls.push(call);
      const result = handle(call);
      result.catch(() => undefined);
      results.push(result);
    },
    async results() {
      try {
        return Object.freeze(await Promise.race([Promise.all(results), stopped]));
      } catch (error) {
        await cancel();
        throw error;
      }
    },
  };
}

/** Callbacks during an answer. Each one is awaited. */
export interface GenerateCallbacks {
  /** Receives a copy of every part as it arrived, before it is merged. */
  readonly onMessagePart?: (part: StreamedMessagePart) => void | Promise<void>;
  /** Receives each complete tool call. */
  readonly onToolCall?: (call: ToolCall) => void | Promise<void>;
  /** Called once, before the first part. */
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
 * Requests one answer and merges its parts. A part that cannot be merged completes the one before. Arguments
 * belong to the call right before them; without one they are dropped.
 * @throws ChatProviderError of the provider; APIEmptyResponseError for an empty answer or one with thoughts only.
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
  const speaks = content.some((part) => part.type === "text" && !isBlank(part.text));
  if (!speaks && content.some((part) => part.type === "think"))
    throw new APIEmptyResponseError(ONLY_THOUGHTS);
}
