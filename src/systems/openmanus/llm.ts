import { stripLikePython } from "../../client/python/blank.ts";
import { expectObject, expectOptions, createOptionChecker } from "../../client/check-options.ts";
import { type Fields, readList, readString } from "../../core/base/lenient.ts";
import { asChatError, chatError, type ChatError, type ChatErrorKind } from "../../client/errors.ts";
import { writePythonRepr } from "../../client/python/write.ts";
import { isDict } from "../../client/python/value.ts";
import { realSurroundings, type Surroundings, type LogLevel } from "../../client/surroundings.ts";
import type { AskOptions, AskToolOptions, LlmOptions, MessageInput } from "./options.ts";
import { createBudget, type TokenBudget, createTokenLimitExceeded, type CallTokens } from "./budget.ts";
import {
  expectImageSupport,
  formatMessages,
  type ImageInput,
  type ModelMessage,
  MULTIMODAL_MODELS,
  createRefusedError,
  withImages,
} from "./messages.ts";
import { createTokenCounter, type TokenCounter } from "./token-counter.ts";
import {
  isStream,
  readFirstChoice,
  joinChunks,
  readCompletionUsage,
  type ReadUsage,
} from "../../client/wire/completions.ts";
import { expectSendable, readSendLimits } from "../../client/wire/expect-sendable.ts";
import { retryTask, RETRY_POLICIES } from "../../client/retry.ts";

/** Exact names of models that accept `max_completion_tokens` and no temperature. */
export const REASONING_MODELS: readonly string[] = ["o1", "o3-mini"];

const LLM_OPTIONS = createOptionChecker<LlmOptions>()(
  "settings completions countText budget isReasoning toolTokens retriesEmpty tries surroundings",
);

const TOOL_CHOICES: ReadonlySet<unknown> = new Set(["none", "auto", "required"]);

/** OpenManus's LLM. Failures are `ChatError`s: the error of the last try, with `tries`. */
export class LLM {
  readonly model: string;
  readonly budget: TokenBudget;
  readonly tokenCounter: TokenCounter;
  readonly #options: LlmOptions;
  readonly #surroundings: Surroundings;

  constructor(options: LlmOptions) {
    expectOptions(options, LLM_OPTIONS);
    expectObject(options.settings, "options.settings");
    this.model = options.settings.model;
    this.budget = options.budget ?? createBudget(options.settings.max_input_tokens);
    this.tokenCounter = createTokenCounter(options.countText);
    this.#options = options;
    this.#surroundings = realSurroundings(options.surroundings);
  }

  /** Returns the answer's text, trimmed if it was streamed. @throws ChatError, TokenLimitExceeded */
  async ask(messages: readonly MessageInput[], options: AskOptions = {}): Promise<string> {
    return this.#logged("ask", () =>
      this.#send(this.#conversation(messages, options.systemMsgs), { stream: true, ...options }),
    );
  }

  /** Returns the answer to a request with pictures in the last message, which must be the user's. @throws as `ask` */
  async askWithImages(
    messages: readonly MessageInput[],
    images: readonly ImageInput[],
    options: AskOptions = {},
  ): Promise<string> {
    return this.#logged("ask_with_images", () => {
      expectImageSupport(this.model);
      const shown = withImages(formatMessages(messages, true), images);
      const all = options.systemMsgs ? [...formatMessages(options.systemMsgs, true), ...shown] : shown;
      return this.#send(all, { stream: false, ...options });
    });
  }

  /** Returns the answer's message as the provider sent it; null if it sent none. @throws as `ask` */
  async askTool(
    messages: readonly MessageInput[],
    options: AskToolOptions = {},
  ): Promise<ModelMessage | null> {
    return this.#logged("ask_tool", () => {
      const { timeout = 300, tools = null, toolChoice = "auto", extra = {}, signal } = options;
      if (!TOOL_CHOICES.has(toolChoice)) {
        const shown = readString(toolChoice) ?? writePythonRepr(toolChoice ?? null);
        throw createRefusedError("toolChoice", `Invalid tool_choice: ${shown}`);
      }
      const conversation = this.#conversation(messages, options.systemMsgs);
      const limits = { timeout, ...readSendLimits(extra), ...this.#limits(options.temperature) };
      expectSendable({ messages: conversation, limits });
      const needed = this.tokenCounter.countMessageTokens(conversation) + this.#toolTokens(tools ?? []);
      this.#expectWithinLimit(needed);
      expectTools(tools ?? []);
      expectSendable({
        messages: conversation,
        tools: extra["tools"] ?? tools,
        toolChoice: extra["tool_choice"],
      });
      const params = {
        model: this.model,
        messages: conversation,
        tools,
        tool_choice: toolChoice,
        timeout,
        ...extra,
        ...this.#limits(options.temperature),
        stream: false,
      };
      return this.#again(() => this.#askToolOnce(params, signal), { signal, isToolCall: true });
    });
  }

  async #askToolOnce(params: Fields, signal: AbortSignal | undefined): Promise<ModelMessage | null> {
    const seconds = params["timeout"];
    const answer = await this.#options.completions.create(params, {
      ...(typeof seconds === "number" && { timeoutMs: seconds * 1000 }),
      signal,
    });
    const completion = isStream(answer) ? await joinChunks(answer) : answer;
    const message = readFirstChoice(completion)?.message ?? null;
    if (message !== null) this.#count(readCompletionUsage(completion), readList(params["messages"]), "");
    return message as ModelMessage | null;
  }

  #conversation(
    messages: readonly MessageInput[],
    systemMsgs: readonly MessageInput[] | undefined,
  ): readonly Fields[] {
    const sees = MULTIMODAL_MODELS.includes(this.model);
    const systems = systemMsgs === undefined ? [] : formatMessages(systemMsgs, sees);
    return [...systems, ...formatMessages(messages, sees)];
  }

  #toolTokens(tools: readonly unknown[]): number {
    const as = this.#options.toolTokens ?? "python";
    return tools.reduce<number>((sum, tool) => sum + this.tokenCounter.countTool(tool, as), 0);
  }

  #expectWithinLimit(needed: number): void {
    if (!this.budget.allows(needed)) throw createTokenLimitExceeded(this.budget.limitMessage(needed));
  }

  #limits(temperature: number | null | undefined): Fields {
    const { settings, isReasoning = (model) => REASONING_MODELS.includes(model) } = this.#options;
    if (isReasoning(this.model)) return { max_completion_tokens: settings.max_tokens };
    return { max_tokens: settings.max_tokens, temperature: temperature ?? settings.temperature };
  }

  async #send(messages: readonly Fields[], options: AskOptions): Promise<string> {
    const { stream = true, temperature, signal } = options;
    expectSendable({ messages, limits: this.#limits(temperature) });
    const needed = this.tokenCounter.countMessageTokens(messages);
    this.#expectWithinLimit(needed);
    const params = { model: this.model, messages, ...this.#limits(temperature), stream };
    return this.#again(
      async () => {
        const answer = await this.#options.completions.create(params, { signal });
        return stream ? this.#streamed(answer, messages, options) : this.#whole(answer, messages);
      },
      { signal, estimate: stream ? needed : 0 },
    );
  }

  #whole(answer: unknown, messages: readonly unknown[]): string {
    const text = readFirstChoice(answer)?.content ?? "";
    if (text === "") throw empty("Empty or invalid response from LLM");
    this.#count(readCompletionUsage(answer), messages, text);
    return text;
  }

  async #streamed(answer: unknown, messages: readonly unknown[], { onText }: AskOptions): Promise<string> {
    const whole = await joinChunks(answer, { onText });
    const text = readFirstChoice(whole)?.content ?? "";
    const trimmed = stripLikePython(text);
    if (trimmed === "") throw empty("Empty response from streaming LLM");
    this.#countStream(readCompletionUsage(whole), messages, text);
    return trimmed;
  }

  /** Counts the usage that the provider reports, or an estimate if it reports none. */
  #count(usage: ReadUsage | undefined, messages: readonly unknown[], text: string): void {
    const tokens =
      usage === undefined
        ? this.#estimated(messages, text)
        : { input: usage.promptTokens, completion: usage.completionTokens, estimated: false };
    this.budget.add(tokens);
    this.#logUsage(tokens.input, tokens.completion, this.budget.totals.completion);
  }

  /** Counts the usage of a stream. Logs an estimate as OpenManus does: first the input, then the output. */
  #countStream(usage: ReadUsage | undefined, messages: readonly unknown[], text: string): void {
    if (usage !== undefined) return this.#count(usage, messages, text);
    const tokens = this.#estimated(messages, text);
    const before = this.budget.totals.completion;
    this.budget.add(tokens);
    this.#logUsage(tokens.input, 0, before);
    this.#say("info", `Estimated completion tokens for streaming response: ${tokens.completion}`);
  }

  #estimated(messages: readonly unknown[], text: string): CallTokens {
    const input = this.tokenCounter.countMessageTokens(messages);
    return { input, completion: this.tokenCounter.countText(text), estimated: true };
  }

  #logUsage(input: number, completion: number, allCompletion: number): void {
    const all = this.budget.totals.input;
    const parts = [
      `Input=${input}, Completion=${completion}`,
      `Cumulative Input=${all}, Cumulative Completion=${allCompletion}`,
      `Total=${input + completion}, Cumulative Total=${all + allCompletion}`,
    ];
    this.#say("info", `Token usage: ${parts.join(", ")}`);
  }

  /** Retries as OpenManus does. `estimate` is the input of a failed try in tokens. */
  async #again<T>(
    task: () => Promise<T>,
    { signal, estimate = 0, isToolCall = false }: AttemptOptions,
  ): Promise<T> {
    const { tries = 6, retriesEmpty = false } = this.#options;
    const policy = { ...RETRY_POLICIES[retriesEmpty ? "openmanusWithEmpty" : "openmanus"], tries };
    const once: typeof task = async () => {
      try {
        return await task();
      } catch (thrown) {
        const error = asChatError(thrown);
        this.budget.addFailed(estimate);
        this.#sayFailure(error, isToolCall);
        throw error;
      }
    };
    return retryTask(once, policy, { surroundings: this.#surroundings, signal });
  }

  #sayFailure({ kind, message }: ChatError, isToolCall: boolean): void {
    if (isToolCall && PROVIDERS_OWN.has(kind)) this.#say("error", `OpenAI API error: ${message}`);
    if (kind === "authentication") this.#say("error", "Authentication failed. Check API key.");
    else if (kind === "rate-limit")
      this.#say("error", "Rate limit exceeded. Consider increasing retry attempts.");
    else if (PROVIDERS_OWN.has(kind)) this.#say("error", `API error: ${message}`);
  }

  /** Logs invalid requests and unexpected failures with the name of the method. */
  async #logged<T>(method: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (thrown) {
      const error = asChatError(thrown);
      const place = method === "ask" ? "" : ` in ${method}`;
      if (error.kind === "validation") this.#say("error", `Validation error${place}: ${error.message}`);
      if (error.kind === "unknown") this.#say("error", `Unexpected error in ${method}: ${error.message}`);
      throw error;
    }
  }

  #say(level: LogLevel, message: string): void {
    this.#surroundings.log({ level, message });
  }
}

function expectTools(tools: readonly unknown[]): void {
  for (const [index, tool] of tools.entries()) {
    if (!isDict(tool) || !("type" in tool))
      throw createRefusedError(`tools[${index}]`, "Each tool must be a dict with 'type' field");
  }
}

function empty(text: string): ChatError {
  return chatError("empty", text, {
    hint: "Try again, or ask for empty answers to be tried again (retriesEmpty).",
  });
}

interface AttemptOptions {
  readonly signal: AbortSignal | undefined;
  readonly estimate?: number;
  readonly isToolCall?: boolean;
}

/** Kinds of failures whose cause is the provider or the network. */
const PROVIDERS_OWN: ReadonlySet<ChatErrorKind> = new Set([
  "authentication",
  "rate-limit",
  "connection",
  "timeout",
  "status",
]);
