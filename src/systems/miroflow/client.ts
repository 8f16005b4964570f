import { expectOptions, createOptionChecker, expectObject } from "../../client/check-options.ts";
import { type Fields, readFields, readString } from "../../core/base/lenient.ts";
import { asChatError, type ChatError, chatError, invalid, cancelled } from "../../client/errors.ts";
import type { Usage } from "../../client/reply.ts";
import { realSurroundings, type Surroundings } from "../../client/surroundings.ts";
import { resolveEnvironment } from "./environment.ts";
import { anthropicProvider } from "./anthropic-provider.ts";
import { ensureSummaryContext, type GuardResult } from "./guard.ts";
import type { TaskLog } from "./log-format.ts";
import { openAiProvider } from "./openai-provider.ts";
import { fixServerNames, type MiroToolCall, parseToolCalls } from "./parsing.ts";
import type { CallLimits, ConnectOptions, MiroConnection, MiroProvider } from "./provider.ts";
import type { RetentionOptions } from "./retention.ts";
import { type MiroSettings, readSettings } from "./settings.ts";
import { createTally, type Tally, getWording } from "./tally.ts";
import { plainToolNames, type ToolNames } from "./tool-names.ts";
import type { LastCallTokens, TokenUsage } from "./usage.ts";
import { expectSendable } from "../../client/wire/expect-sendable.ts";
import { readEnvironmentVariables } from "../../client/environment.ts";

/** Limit of the whole call, including retries and waits. */
export const TOTAL_TIMEOUT_S = 600;

export interface MiroClientOptions extends Omit<ConnectOptions, "taskId"> {
  readonly taskId: string;
  /** `{llm: {…}, agent: {keep_tool_result}}`, read once. */
  readonly cfg: unknown;
  /** May be missing everywhere. */
  readonly taskLog?: TaskLog;
  /** Default 600. */
  readonly totalTimeoutS?: number;
  readonly limits?: Omit<CallLimits, "deadline">;
  readonly retention?: Pick<RetentionOptions, "isToolResult" | "how">;
  readonly names?: ToolNames;
  readonly surroundings?: Partial<Surroundings>;
  /** Calls back after this number of milliseconds, unless it is canceled. Default: a real timer. */
  readonly timer?: Timer;
}

const MIRO_OPTIONS = createOptionChecker<MiroClientOptions & { readonly providers?: unknown }>()(
  "fetch taskId cfg taskLog totalTimeoutS limits retention names surroundings timer providers",
);

export interface CreateMessageOptions {
  readonly systemPrompt: string;
  readonly messageHistory: readonly Fields[];
  readonly toolDefinitions?: readonly Fields[];
  /** Default −1, for all. */
  readonly keepToolResult?: number;
  /** Default 1. */
  readonly stepId?: number;
  /** Replaces the client's setting for this call. */
  readonly taskLog?: TaskLog;
  /** Default "main". */
  readonly agentType?: string;
  readonly signal?: AbortSignal;
}

export interface MiroAnswer {
  /** Null if the call failed; the log has the reason. */
  readonly response: unknown;
  readonly messageHistory: readonly Fields[];
}

export interface ProcessedAnswer {
  readonly text: string;
  readonly shouldBreak: boolean;
  readonly messageHistory: readonly Fields[];
}

export interface MiroClient {
  readonly settings: MiroSettings;
  readonly lastCallTokens: LastCallTokens;
  readonly usage: Usage;
  readonly lastError: ChatError | undefined;
  /** Sends a request. A failure gives a null response. @throws ChatError only of the kind "cancelled" */
  createMessage(options: CreateMessageOptions): Promise<MiroAnswer>;
  processLlmResponse(response: unknown, messageHistory: readonly Fields[]): ProcessedAnswer;
  /** Returns the provider's native tool calls, else those in the text. */
  extractToolCallsInfo(response: unknown, text: string): readonly MiroToolCall[];
  /** Returns the conversation with the texts of tool results as one user message. */
  updateMessageHistory(
    messageHistory: readonly Fields[],
    results: readonly (readonly [id: string, result: Fields])[],
  ): readonly Fields[];
  ensureSummaryContext(
    messageHistory: readonly Fields[],
    summaryPrompt: string,
    countTokens: (text: string) => number,
  ): GuardResult;
  getTokenUsage(): TokenUsage;
  formatTokenUsageSummary(): { readonly lines: readonly string[]; readonly log: string };
  close(): Promise<void>;
}

/** Creates a client of a provider. @throws ChatError "validation" for missing or invalid settings */
export async function createMiroClient(
  provider: MiroProvider,
  options: MiroClientOptions,
): Promise<MiroClient> {
  expectOptions(options, MIRO_OPTIONS);
  const { taskId, taskLog = () => undefined, fetch, names = plainToolNames } = options;
  const settings = readSettings(options.cfg);
  const { modelName, maxTokens, maxContextLength } = settings;
  const tally = createTally(provider);
  const wording = getWording(provider);
  const connection = await provider.connect(settings, { taskId, fetch });
  const create = messageCreator({ provider, settings, connection, tally, options });
  let closing: Promise<void> | undefined;
  const ready = `LLMClient ${settings.provider} ${modelName} initialization completed.`;
  taskLog("info", "LLM | Initialization", ready);
  return {
    settings,
    get lastCallTokens() {
      return tally.lastCall;
    },
    get usage() {
      return tally.usage;
    },
    get lastError() {
      return create.lastError;
    },
    createMessage: (call) => create.message(call),
    processLlmResponse(response, before) {
      const { text, shouldBreak, message } = provider.parseAnswer(response, taskLog);
      return { text, shouldBreak, messageHistory: message === undefined ? before : [...before, message] };
    },
    extractToolCallsInfo(response, text) {
      const { toolCalls } = provider.parseAnswer(response, () => undefined);
      return parseToolCalls(toolCalls.length > 0 ? toolCalls : text, names);
    },
    updateMessageHistory(before, results) {
      const texts = results.flatMap(([, { type, text }]) =>
        type === "text" ? [readString(text) ?? ""] : [],
      );
      return [...before, wording.resultMessage(texts.join("\n"))];
    },
    ensureSummaryContext(history, summaryPrompt, countTokens) {
      const limits = { lastCall: tally.lastCall, maxTokens, maxContextLength };
      return ensureSummaryContext(history, summaryPrompt, { ...limits, countTokens, log: taskLog });
    },
    getTokenUsage: () => tally.totals,
    formatTokenUsageSummary: () => tally.summary(modelName),
    close: () => (closing ??= closeClient(connection.client)),
  };
}

interface ClientParts {
  readonly provider: MiroProvider;
  readonly settings: MiroSettings;
  readonly connection: MiroConnection;
  readonly tally: Tally;
  readonly options: MiroClientOptions;
}

interface MessageCreator {
  readonly lastError: ChatError | undefined;
  message(options: CreateMessageOptions): Promise<MiroAnswer>;
}

function messageCreator({ provider, settings, connection, tally, options }: ClientParts): MessageCreator {
  const { totalTimeoutS = TOTAL_TIMEOUT_S, limits = {}, timer = realTimer, retention = {} } = options;
  const surroundings = realSurroundings(options.surroundings);
  let lastError: ChatError | undefined;
  return {
    get lastError() {
      return lastError;
    },
    async message({ systemPrompt, messageHistory, toolDefinitions = [], keepToolResult = -1, ...call }) {
      const { stepId = 1, agentType = "main", taskLog: into = options.taskLog } = call;
      const log: TaskLog = (level, step, text) => into?.(level, step, text, stepId);
      // A provider that fails midway must not change the caller's conversation.
      const history = structuredClone(messageHistory);
      const late = chatError("timeout", `The call took longer than ${totalTimeoutS} seconds in all.`);
      const totalMs = totalTimeoutS * 1000;
      const total = createLimit(totalMs, timer, late, call.signal);
      const prompt = { systemPrompt, history, toolDefinitions, keepToolResult, retention };
      const world = { settings, connection, log, surroundings, signal: total.signal };
      const deadline = surroundings.now() + totalMs;
      const onUsage = (response: unknown): void => tally.add(response, log);
      lastError = undefined;
      try {
        // A system prompt without messages is a request too.
        expectSendable({ messages: history, tools: toolDefinitions, mayBeEmpty: systemPrompt !== "" });
        const creating = provider.createMessage({
          ...prompt,
          ...world,
          onUsage,
          limits: { ...limits, deadline },
        });
        const created = await Promise.race([creating, total.over]);
        return { response: created.response, messageHistory: created.history };
      } catch (thrown) {
        const error = total.failure() ?? asChatError(thrown);
        if (error.kind === "cancelled") throw error;
        lastError = error;
        const text = `${agentType} failed: ${error.message}`;
        log("error", `FATAL ERROR | ${agentType} | LLM Call ERROR`, text);
        return { response: null, messageHistory };
      } finally {
        total.end();
      }
    },
  };
}

/** Replaces server names in an answer's text by those of the system prompt. */
export function correctServerNames(text: string, systemPrompt: string): string {
  return readString(fixServerNames(text, systemPrompt)) ?? text;
}

/**
 * Closes a provider's client. If its `close` is async and it has a transport, closes the transport and ignores its
 * failures. Otherwise closes the client itself, if it has a `close`.
 */
export async function closeClient(client: unknown): Promise<void> {
  const close = methodOf(client, "close");
  const inner = readFields(client)["_client"];
  const closeInner = methodOf(inner, "close");
  if (close !== undefined && (closeInner === undefined || !isAsync(close))) {
    await Reflect.apply(close, client, []);
    return;
  }
  if (closeInner === undefined) return;
  try {
    await Reflect.apply(closeInner, inner, []);
  } catch {
    // A failed close ends the connection too.
  }
}

type Method = (...args: readonly unknown[]) => unknown;

function methodOf(owner: unknown, name: string): Method | undefined {
  const found: unknown = typeof owner === "object" && owner !== null ? Reflect.get(owner, name) : undefined;
  return typeof found === "function" ? (found as Method) : undefined;
}

const isAsync = (method: Method): boolean => method.constructor.name === "AsyncFunction";

const realTimer: Timer = (ms, fire) => {
  const handle = setTimeout(fire, ms);
  return () => clearTimeout(handle);
};

const PROVIDERS: Readonly<Record<string, MiroProvider>> = {
  anthropic: anthropicProvider,
  openai: openAiProvider,
  qwen: openAiProvider,
};

/** Finds a provider by its name, case-sensitively. @throws ChatError "validation" */
export function providerOf(name: string, more: Readonly<Record<string, MiroProvider>> = {}): MiroProvider {
  const all = { ...PROVIDERS, ...more };
  const found = Object.hasOwn(all, name) ? all[name] : undefined;
  if (found !== undefined) return found;
  const text = `Unsupported provider: '${name}'. Supported providers are: ${Object.keys(all).sort().join(", ")}`;
  throw Object.assign(invalid("llm.provider", text), { message: text });
}

/** Creates a client of the configured provider. `providers` adds further ones. */
export async function clientFactory(
  options: MiroClientOptions & { readonly providers?: Readonly<Record<string, MiroProvider>> },
): Promise<MiroClient> {
  expectObject(options, "options");
  const { provider } = readFields(readFields(options.cfg)["llm"]);
  const given = readString(provider) ?? JSON.stringify(provider ?? "");
  const name = resolveEnvironment(given, { where: "llm.provider", environment: readEnvironmentVariables() });
  return createMiroClient(providerOf(name ?? "null", options.providers), options);
}

/** Calls `fire` after `ms` milliseconds, and returns a function that cancels it. */
type Timer = (ms: number, fire: () => void) => () => void;

/** A time limit that also ends if the caller aborts. */
interface Limit {
  readonly signal: AbortSignal;
  /** Rejects when the time is over or the caller aborts. */
  readonly over: Promise<never>;
  /** Returns the reason for which the limit ended. */
  failure(): ChatError | undefined;
  end(): void;
}

function createLimit(ms: number, timer: Timer, late: ChatError, outer?: AbortSignal): Limit {
  const controller = new AbortController();
  let failed: ChatError | undefined;
  let reject: (error: ChatError) => void = () => undefined;
  const over = new Promise<never>((_, rejects) => (reject = rejects));
  over.catch(() => undefined);
  const stop = (error: ChatError): void => {
    failed ??= error;
    controller.abort(error);
    reject(error);
  };
  const takeBack = timer(ms, () => stop(late));
  const leave = (): void => stop(cancelled(outer?.reason));
  if (outer?.aborted === true) leave();
  outer?.addEventListener("abort", leave);
  return {
    signal: controller.signal,
    over,
    failure: () => failed,
    end() {
      takeBack();
      outer?.removeEventListener("abort", leave);
    },
  };
}
