import type { Message } from "./message.ts";
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

export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  /** Asks for a structured answer, which the reply holds parsed as `output`. */
  readonly output?: OutputSchema;
  readonly settings?: ChatSettings;
  readonly signal?: AbortSignal;
}

/**
 * A schema that can tell its own JSON Schema and check a value: zod 4.2 and later, and whatever else implements
 * Standard Schema with its JSON Schema extension. Source: standardschema.dev, 2026-11.
 */
export interface SelfDescribingSchema {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => unknown };
  };
}

export type StandardResult =
  | { readonly value: unknown; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly unknown[] | undefined;
      }[];
    };

export interface OutputSchema {
  /** A JSON Schema, or a zod schema. */
  readonly schema: JsonSchema | SelfDescribingSchema;
  /** How the provider is told to call it; letters, digits, `_` and `-`. Default "output". */
  readonly name?: string;
  readonly description?: string;
  /** Whether the provider is to hold the model to it, where it can. */
  readonly strict?: boolean;
}
