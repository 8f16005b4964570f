import { expectSendable } from "../wire/expect-sendable.ts";
import { again } from "../wrap/retry.ts";
import { RETRY_POLICIES } from "../wrap/retry-policies.ts";
import { asChatError, chatError, type ChatError, type ChatErrorKind } from "../errors.ts";
import { pythonRepr } from "../python/repr.ts";
import { isDict } from "../python/value.ts";
import { realSurroundings, type Surroundings } from "../surroundings.ts";
import { chunksOf, firstChoice, usageOf, type Completions } from "../wire/completions.ts";
import { fieldsOf, listOf, textOf, type Fields } from "../wire/json.ts";
import { joinChunks } from "../wire/join-chunks.ts";
import { createBudget, tokenLimitExceeded, type CallTokens, type TokenBudget } from "./budget.ts";
import type { CountText } from "./encodings.ts";
import { expectImageSupport, MULTIMODAL_MODELS, withImages, type ImageInput } from "./images.ts";
import { formatMessages, refused, type ManusMessage } from "./messages.ts";
import type { LlmSettings } from "./settings.ts";
import { createTokenCounter, type TokenCounter } from "./token-counter.ts";

/** Models that take a token limit of another name and no temperature, by their exact names. */
export const REASONING_MODELS: readonly string[] = ["o1", "o3-mini"];

/** A `Message`, or a map with `role` and what else the provider takes. */
export type MessageInput = ManusMessage | Fields;

export interface AskOptions {
  readonly systemMsgs?: readonly MessageInput[];
  readonly stream?: boolean;
  /** Over the setting; 0 counts, null does not. */
  readonly temperature?: number | null;
  /** Each piece of a streamed answer as it comes. */
  readonly onText?: (piece: string) => void;
  readonly signal?: AbortSignal;
}

export interface AskToolOptions {
  readonly systemMsgs?: readonly MessageInput[];
  /** Seconds, for one try. Default 300. */
  readonly timeout?: number;
  readonly tools?: readonly unknown[] | null;
  /** Must be "none", "auto" or "required". Default "auto". */
  readonly toolChoice?: unknown;
  readonly temperature?: number | null;
  readonly signal?: AbortSignal;
  /** Anything else goes into the request, over what is there. */
  readonly extra?: Fields;
}

export interface LlmOptions {
  readonly settings: LlmSettings;
  readonly completions: Completions;
  /** The counter of the model's encoding: `loadEncoding(encodingFor(model))`, or any other. */
  readonly countText: CountText;
  /** Shared by clients that have one limit together. Default: one of its own, with the settings' limit. */
  readonly budget?: TokenBudget;
  /** Models that take `max_completion_tokens` and no temperature. Default the two exact names. */
  readonly isReasoning?: (model: string) => boolean;
  readonly toolTokens?: "python" | "json";
  /** Whether an empty answer is tried again. Default false. */
  readonly retriesEmpty?: boolean;
  /** Default 6. */
  readonly tries?: number;
  readonly surroundings?: Partial<Surroundings>;
}

/** OpenManus's LLM. Failures are `ChatError`s; the last try's own error comes out, with `tries`. */
export class LLM {
  readonly model: string;
  readonly budget: TokenBudget;
  readonly tokenCounter: TokenCounter;
  readonly #options: LlmOptions;
  readonly #surroundings: Surroundings;

  constructor(options: LlmOptions) {
    this.model = options.settings.model;
    this.budget = options.budget ?? createBudget(options.settings.max_input_tokens);
    this.tokenCounter = createTokenCounter(options.countText);
    this.#options = options;
    this.#surroundings = realSurroundings(options.surroundings);
  }

  /** The answer's text, trimmed where it was streamed. @throws ChatError, TokenLimitExceeded */
  async ask(messages: readonly MessageInput[], options: AskOptions = {}): Promise<string> {
    return this.#logged("ask", () => {
      const sees = MULTIMODAL_MODELS.includes(this.model);
      return this.#send(this.#conversation(messages, options.systemMsgs, sees), { stream: true, ...options });
    });
  }

  /** The same with pictures put to the last message, which must be the user's. @throws as `ask` */
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

  /** The answer's message as the provider gave it, or null where it gave none. @throws as `ask` */
  async askTool(messages: readonly MessageInput[], options: AskToolOptions = {}): Promise<Fields | null> {
    return this.#logged("ask_tool", () => {
      const { timeout = 300, tools = null, toolChoice = "auto", extra = {}, signal } = options;
      if (toolChoice !== "none" && toolChoice !== "auto" && toolChoice !== "required")
        throw refused(
          "toolChoice",
          `Invalid tool_choice: ${textOf(toolChoice) ?? pythonRepr(toolChoice ?? null)}`,
        );
      const sees = MULTIMODAL_MODELS.includes(this.model);
      const conversation = this.#conversation(messages, options.systemMsgs, sees);
      expectSendable({ messages: conversation, limits: { timeout, ...this.#limits(options.temperature) } });
      this.#expectWithinLimit(this.#inputTokens(conversation) + this.#toolTokens(tools ?? []));
      expectTools(tools ?? []);
      expectSendable({ messages: conversation, tools });
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

  async #askToolOnce(params: Fields, signal: AbortSignal | undefined): Promise<Fields | null> {
    const seconds = params["timeout"];
    const answer = await this.#options.completions.create(params, {
      ...(typeof seconds === "number" && { timeoutMs: seconds * 1000 }),
      ...(signal && { signal }),
    });
    const completion = isStream(answer) ? await joinChunks(answer) : answer;
    const message = firstChoice(completion)?.message ?? null;
    if (message !== null) this.#count(usageOf(completion), listOf(params["messages"]), "");
    return message;
  }

  #conversation(
    messages: readonly MessageInput[],
    systemMsgs: readonly MessageInput[] | undefined,
    seesImages: boolean,
  ): readonly Fields[] {
    const systems = systemMsgs === undefined ? [] : formatMessages(systemMsgs, seesImages);
    return [...systems, ...formatMessages(messages, seesImages)];
  }

  #inputTokens(messages: readonly unknown[]): number {
    return this.tokenCounter.countMessageTokens(messages);
  }

  #toolTokens(tools: readonly unknown[]): number {
    const as = this.#options.toolTokens ?? "python";
    return tools.reduce<number>((sum, tool) => sum + this.tokenCounter.countTool(tool, as), 0);
  }

  #expectWithinLimit(needed: number): void {
    if (!this.budget.allows(needed)) throw tokenLimitExceeded(this.budget.limitMessage(needed));
  }

  #limits(temperature: number | null | undefined): Fields {
    const { settings, isReasoning = (model) => REASONING_MODELS.includes(model) } = this.#options;
    if (isReasoning(this.model)) return { max_completion_tokens: settings.max_tokens };
    return { max_tokens: settings.max_tokens, temperature: temperature ?? settings.temperature };
  }

  async #send(messages: readonly Fields[], options: AskOptions): Promise<string> {
    const { stream = true, temperature, signal } = options;
    expectSendable({ messages, limits: this.#limits(temperature) });
    const needed = this.#inputTokens(messages);
    this.#expectWithinLimit(needed);
    const params = { model: this.model, messages, ...this.#limits(temperature), stream };
    return this.#again(
      async () => {
        const answer = await this.#options.completions.create(params, { ...(signal && { signal }) });
        return stream ? this.#streamed(answer, messages, options) : this.#whole(answer, messages);
      },
      { signal, estimate: stream ? needed : 0 },
    );
  }

  #whole(answer: unknown, messages: readonly unknown[]): string {
    const text = firstChoice(answer)?.content ?? "";
    if (text === "") throw empty("Empty or invalid response from LLM");
    this.#count(usageOf(answer), messages, text);
    return text;
  }

  async #streamed(answer: unknown, messages: readonly unknown[], { onText }: AskOptions): Promise<string> {
    let text = "";
    let told: ReturnType<typeof usageOf>;
    for await (const chunk of chunksOf(answer)) {
      told = usageOf(chunk) ?? told;
      const [choice] = listOf(fieldsOf(chunk)["choices"]);
      const piece = textOf(fieldsOf(fieldsOf(choice)["delta"])["content"]) ?? "";
      if (piece !== "") onText?.(piece);
      text += piece;
    }
    const trimmed = text.trim();
    if (trimmed === "") throw empty("Empty response from streaming LLM");
    if (told !== undefined) this.#count(told, messages, text);
    else this.#countStream(messages, text);
    return trimmed;
  }

  /** What the provider tells, or our own estimate where it tells nothing. */
  #count(told: ReturnType<typeof usageOf>, messages: readonly unknown[], text: string): void {
    const tokens: CallTokens =
      told === undefined
        ? {
            input: this.#inputTokens(messages),
            completion: this.tokenCounter.countText(text),
            estimated: true,
          }
        : { input: told.promptTokens, completion: told.completionTokens, estimated: false };
    this.budget.add(tokens);
    this.#logUsage(tokens.input, tokens.completion);
  }

  /** A stream is logged as OpenManus does: the estimated input first, then what was written. */
  #countStream(messages: readonly unknown[], text: string): void {
    const [input, completion] = [this.#inputTokens(messages), this.tokenCounter.countText(text)];
    const before = this.budget.totals.completion;
    this.budget.add({ input, completion, estimated: true });
    this.#logUsage(input, 0, before);
    this.#log("info", `Estimated completion tokens for streaming response: ${completion}`);
  }

  #logUsage(input: number, completion: number, allCompletion = this.budget.totals.completion): void {
    const all = this.budget.totals.input;
    const parts = [
      `Input=${input}, Completion=${completion}`,
      `Cumulative Input=${all}, Cumulative Completion=${allCompletion}`,
      `Total=${input + completion}, Cumulative Total=${all + allCompletion}`,
    ];
    this.#log("info", `Token usage: ${parts.join(", ")}`);
  }

  #again<T>(task: () => Promise<T>, { signal, estimate = 0, isToolCall = false }: Trying): Promise<T> {
    const { tries = 6, retriesEmpty = false } = this.#options;
    const once = async (): Promise<T> => {
      try {
        return await task();
      } catch (thrown) {
        const error = asChatError(thrown);
        if (estimate > 0) this.budget.addFailed(estimate);
        this.#logFailure(error, isToolCall);
        throw error;
      }
    };
    const policy = retriesEmpty ? RETRY_POLICIES.openmanusWithEmpty : RETRY_POLICIES.openmanus;
    const world = { surroundings: this.#surroundings, ...(signal && { signal }) };
    return again(once, { ...policy, tries }, world);
  }

  #logFailure({ kind, message }: ChatError, isToolCall: boolean): void {
    if (isToolCall && PROVIDERS_OWN.has(kind)) this.#log("error", `OpenAI API error: ${message}`);
    if (kind === "authentication") this.#log("error", "Authentication failed. Check API key.");
    else if (kind === "rate-limit")
      this.#log("error", "Rate limit exceeded. Consider increasing retry attempts.");
    else if (PROVIDERS_OWN.has(kind)) this.#log("error", `API error: ${message}`);
  }

  /** Requests that cannot be sent and failures nobody foresaw are logged with the name of the method. */
  async #logged<T>(method: string, task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (thrown) {
      const error = asChatError(thrown);
      const place = method === "ask" ? "" : ` in ${method}`;
      if (error.kind === "validation") this.#log("error", `Validation error${place}: ${error.message}`);
      if (error.kind === "unknown") this.#log("error", `Unexpected error in ${method}: ${error.message}`);
      throw error;
    }
  }

  #log(level: "info" | "error", message: string): void {
    this.#surroundings.log({ level, message });
  }
}

interface Trying {
  readonly signal: AbortSignal | undefined;
  /** Input tokens that a failed try is taken to have cost. */
  readonly estimate?: number;
  readonly isToolCall?: boolean;
}

/** Failures that the provider, or the way to it, is the cause of. */
const PROVIDERS_OWN: ReadonlySet<ChatErrorKind> = new Set([
  "authentication",
  "rate-limit",
  "connection",
  "timeout",
  "status",
]);

function expectTools(tools: readonly unknown[]): void {
  for (const [index, tool] of tools.entries()) {
    if (!isDict(tool) || !("type" in tool))
      throw refused(`tools[${index}]`, "Each tool must be a dict with 'type' field");
  }
}

function empty(text: string): ChatError {
  return chatError("empty", text, {
    hint: "Try again, or ask for empty answers to be tried again (retriesEmpty).",
  });
}

function isStream(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}
