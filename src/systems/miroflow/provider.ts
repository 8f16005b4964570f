import type { Surroundings } from "../../client/surroundings.ts";
import type { Fields } from "../../core/base/lenient.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import type { RetentionOptions } from "./retention.ts";
import type { MiroSettings } from "./settings.ts";
import type { TaskLog } from "./log-format.ts";
import type { MappedUsage } from "./usage.ts";

/** Sends a provider's requests: its official SDK, or anything that takes the same parameters. */
export interface MiroConnection {
  /** @throws ChatError */
  send(
    params: Fields,
    options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<unknown>;
  /** The SDK's own client, which is closed with this one. */
  readonly client: unknown;
}

export interface ConnectOptions {
  /** Goes out as the header `x-upstream-session-id`. */
  readonly taskId: string;
  /** Sends the requests, e.g. `deck.fetch(run)`. */
  readonly fetch?: typeof globalThis.fetch | undefined;
}

/** Options of the official clients. Retries are not among them, because MiroFlow retries. */
export const createSdkOptions = ({ apiKey, baseUrl }: MiroSettings, { taskId, fetch }: ConnectOptions) => ({
  apiKey,
  ...(baseUrl !== null && { baseURL: baseUrl }),
  maxRetries: 0,
  defaultHeaders: { "x-upstream-session-id": taskId },
  ...pickDefined({ fetch }),
});

/** One call of a provider with everything it needs. */
export interface ProviderCall {
  readonly settings: MiroSettings;
  readonly connection: MiroConnection;
  readonly systemPrompt: string;
  readonly history: readonly Fields[];
  readonly toolDefinitions: readonly Fields[];
  readonly keepToolResult: number;
  readonly retention: Pick<RetentionOptions, "isToolResult" | "how">;
  /** Aborted when the caller cancels or the total time ends. */
  readonly signal: AbortSignal;
  readonly limits: CallLimits;
  readonly log: TaskLog;
  readonly surroundings: Surroundings;
  /** Called for every attempt that got an answer. */
  readonly onUsage: (response: unknown) => void;
}

export interface CallLimits {
  readonly tries?: number;
  readonly waitMs?: number;
  readonly tryMs?: number;
  /** Time of the clock at which the call must end. */
  readonly deadline: number;
}

export interface ParsedAnswer {
  readonly text: string;
  /** Whether the conversation must end. */
  readonly shouldBreak: boolean;
  /** Messages to add to the conversation, or undefined. */
  readonly message: Fields | undefined;
  /** The provider's native tool calls, if any. */
  readonly toolCalls: readonly unknown[];
}

export interface MiroProvider {
  readonly connect: (settings: MiroSettings, options: ConnectOptions) => Promise<MiroConnection>;
  /** Returns the response, and the conversation as the provider changed it. @throws ChatError */
  readonly createMessage: (call: ProviderCall) => Promise<CreatedMessage>;
  readonly mapUsage: (response: unknown) => MappedUsage | undefined;
  readonly parseAnswer: (response: unknown, log: TaskLog) => ParsedAnswer;
  /** Texts that differ between providers; the defaults are OpenAI's. */
  readonly wording?: Partial<ProviderWording>;
}

export interface CreatedMessage {
  readonly response: unknown;
  readonly history: readonly Fields[];
}

export interface ProviderWording {
  /** Returns the log's line for a call; undefined for none. */
  readonly usageLine: (
    totals: MappedUsage["added"],
    usage: MappedUsage | undefined,
  ) => readonly [level: "info" | "warning", text: string] | undefined;
  readonly summaryCounts: (totals: MappedUsage["added"]) => readonly string[];
  readonly summaryLog: (totals: MappedUsage["added"]) => string;
  readonly resultMessage: (text: string) => Fields;
}
