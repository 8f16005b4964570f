import type { Message } from "./message.ts";
import type { JsonSchema, ToolChoice, ToolDefinition } from "./tool.ts";

/** Effort of the model's thinking. */
export type ThinkingEffort = "off" | "low" | "medium" | "high" | "xhigh" | "max";

/** Sampling and limits with the same names for all providers. */
export interface ChatSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** An effort, or the maximum number of tokens for thinking. */
  readonly thinking?: ThinkingEffort | { readonly budgetTokens: number };
  readonly parallelToolCalls?: boolean;
  /** Timeout of one try. */
  readonly timeoutMs?: number;
  /** Members that override those of the provider's request body. */
  readonly extra?: JsonSchema;
}

export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  readonly settings?: ChatSettings;
  readonly signal?: AbortSignal;
}
