import { expectOptions, createOptionChecker } from "../../client/check-options.ts";
import { copyFrozen } from "../../client/json/plain.ts";
import { type Fault, withFaults } from "../../client/mock/faults.ts";
import { splitText, type TextPieces } from "../../client/mock/mock-reply.ts";
import type { ThinkingEffort } from "../../client/request.ts";
import { realSurroundings, type Surroundings } from "../../client/surroundings.ts";
import type { ChatProvider, Prompt, RetryableChatProvider, StreamedMessage } from "./chat-provider.ts";
import { copyProvider } from "./copy-provider.ts";
import { loadStreamedParts, type StreamedMessagePart, textPart } from "./parts.ts";
import type { TokenUsage } from "./token-usage.ts";

export interface MockCall extends Omit<Prompt, "signal"> {
  readonly effort: ThinkingEffort | null;
}

/** Options that the original does not have. Without them, the mock behaves exactly as the original. */
export interface MockChatProviderOptions {
  /** Reads the given list anew for each call instead of copying it once. */
  readonly live?: boolean;
  /** Milliseconds before each part: one number, or one for each part (0 beyond the list). */
  readonly delayMs?: number | readonly number[];
  /** An error before or after the n-th part (from 0; beyond the last one: at the end). Default before. */
  readonly errorAt?: {
    readonly part: number;
    readonly when?: "before" | "instead" | "after";
    readonly error: Error;
  };
  /** A fixed id, or one made for each call (from 1). Default "mock". */
  readonly id?: string | ((call: number) => string);
  readonly usage?: TokenUsage | null;
  readonly traceId?: string | null;
  /** Keeps the efforts that `withThinking` was given; `thinkingEffort` then shows the last one. */
  readonly recordThinking?: boolean;
  /** Other parts for some calls: undefined leaves the given ones. `call` counts from 1. */
  readonly answer?: (prompt: Prompt, call: number) => readonly StreamedMessagePart[] | undefined;
  /** Cuts texts into pieces, as a model streams them. */
  readonly pieces?: TextPieces;
  readonly surroundings?: Surroundings;
}

const MOCK_OPTIONS = createOptionChecker<MockChatProviderOptions>()(
  "live delayMs errorAt id usage traceId recordThinking answer pieces surroundings",
);
const RECOVERING_OPTIONS = { failures: true, recovers: true } as const;

/** State that a mock shares with its copies. */
interface SharedState {
  readonly calls: MockCall[];
  readonly efforts: readonly ThinkingEffort[];
}

/** A provider that answers every call with copies of the same parts. */
export class MockChatProvider implements ChatProvider {
  readonly name: string = "mock";
  readonly modelName: string = "mock";
  private readonly parts: readonly StreamedMessagePart[];
  private readonly options: MockChatProviderOptions;
  private readonly shared: SharedState;

  constructor(
    parts: readonly StreamedMessagePart[],
    options: MockChatProviderOptions = {},
    shared: SharedState = { calls: [], efforts: [] },
  ) {
    expectOptions(options, { ...MOCK_OPTIONS, ...RECOVERING_OPTIONS });
    const checked = loadStreamedParts(parts);
    this.parts = options.live === true ? parts : copyFrozen(checked);
    this.options = options;
    this.shared = shared;
  }

  get thinkingEffort(): ThinkingEffort | null {
    return this.shared.efforts.at(-1) ?? null;
  }

  get efforts(): readonly ThinkingEffort[] {
    return [...this.shared.efforts];
  }

  get calls(): readonly MockCall[] {
    return [...this.shared.calls];
  }

  async generate(prompt: Prompt): Promise<StreamedMessage> {
    const { systemPrompt, tools, history, signal } = prompt;
    const { calls } = this.shared;
    calls.push(copyFrozen({ systemPrompt, tools, history, effort: this.thinkingEffort }));
    const { answer, id = "mock", usage = null, traceId = null } = this.options;
    const parts = loadStreamedParts(structuredClone(answer?.(prompt, calls.length) ?? this.parts));
    const facts = { id: typeof id === "string" ? id : id(calls.length), usage, traceId };
    const source = stream(parts, this.options, signal);
    return { ...facts, [Symbol.asyncIterator]: () => source };
  }

  withThinking(effort: ThinkingEffort): this {
    const { calls, efforts } = this.shared;
    const isRecorded = this.options.recordThinking === true;
    return copyProvider(this, { shared: { calls, efforts: isRecorded ? [...efforts, effort] : efforts } });
  }
}

/** Yields the parts as the options require: split, delayed, and ended by an error if one is configured. */
async function* stream(
  parts: readonly StreamedMessagePart[],
  options: MockChatProviderOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamedMessagePart, void, undefined> {
  const { surroundings = realSurroundings(), pieces = "whole", delayMs = 0, errorAt } = options;
  const cut = parts.flatMap((part) => cutPart(part, pieces, surroundings));
  const waits = typeof delayMs === "number" ? [delayMs] : delayMs;
  const faults: Fault[] = waits.flatMap((ms, at) => (ms > 0 ? { kind: "delay", ms, at } : []));
  if (typeof delayMs === "number" && delayMs > 0) faults.push({ kind: "pace", ms: delayMs });
  if (errorAt !== undefined) faults.push({ kind: "error", at: errorAt.part, ...errorAt });
  yield* withFaults(cut, faults, { sleep: (ms, ended) => surroundings.sleep(ms, ended), signal });
}

function cutPart(
  part: StreamedMessagePart,
  pieces: TextPieces,
  surroundings: Surroundings,
): StreamedMessagePart[] {
  if (!("type" in part) || part.type !== "text") return [part];
  return splitText(part.text, pieces, () => surroundings.random()).map(textPart);
}

export interface RecoveringOptions extends MockChatProviderOptions {
  /** Errors of the first calls, one per call, thrown before any part. */
  readonly failures?: readonly Error[];
  /** Whether the mock can recover from an error. Default: always. */
  readonly recovers?: (error: unknown) => boolean;
}

/** A mock that fails first and can recover, for tests of retries. */
export class RecoveringMockChatProvider extends MockChatProvider implements RetryableChatProvider {
  /** Errors that `onRetryableError` received, in order. Copies share this list and the remaining failures. */
  readonly recoveries: unknown[] = [];
  private readonly failures: Error[];
  private readonly recovers: (error: unknown) => boolean;

  constructor(parts: readonly StreamedMessagePart[], options: RecoveringOptions = {}) {
    super(parts, options);
    this.failures = [...(options.failures ?? [])];
    this.recovers = options.recovers ?? (() => true);
  }

  override async generate(prompt: Prompt): Promise<StreamedMessage> {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    return super.generate(prompt);
  }

  onRetryableError(error: unknown): boolean {
    this.recoveries.push(error);
    return this.recovers(error);
  }
}
