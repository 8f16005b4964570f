import type { Message } from "./message.ts";
import type { OutputSchema } from "./output-schema.ts";
import type { JsonSchema, ToolChoice, ToolDefinition } from "./tool.ts";

/** How hard the model is to think before it answers. */
export type ThinkingEffort = "off" | "low" | "medium" | "high" | "xhigh" | "max";

export const THINKING_EFFORTS: readonly ThinkingEffort[] = ["off", "low", "medium", "high", "xhigh", "max"];

/** Sampling and limits in one vocabulary; an adapter refuses what its provider cannot do instead of leaving it out. */
export interface ChatSettings {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly repetitionPenalty?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  /** An effort, or the most tokens that may be spent on thinking. */
  readonly thinking?: ThinkingEffort | { readonly budgetTokens: number };
  readonly parallelToolCalls?: boolean;
  /** For one try; a wrapper may set a limit for all of them. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Laid over the provider's request body last, field by field: what this vocabulary has no word for. */
  readonly extra?: JsonSchema;
}

/** One request to a chat model. */
export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  /** Asks for a structured answer, which the reply holds parsed as `output`. */
  readonly output?: OutputSchema;
  readonly settings?: ChatSettings;
  readonly signal?: AbortSignal;
}
