import type { Message } from "./message.ts";
import type { JsonSchema, ToolChoice, ToolDefinition } from "./tool.ts";

/** Effort of the model's thinking. */
export type ThinkingEffort = "off" | "low" | "medium" | "high" | "xhigh" | "max";

export const THINKING_EFFORTS: readonly ThinkingEffort[] = ["off", "low", "medium", "high", "xhigh", "max"];

/** Sampling and limits with the same names for all providers. An adapter rejects unsupported settings. */
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
  /** An effort, or the maximum number of tokens for thinking. */
  readonly thinking?: ThinkingEffort | { readonly budgetTokens: number };
  readonly parallelToolCalls?: boolean;
  /** Timeout of one try; a wrapper can limit all tries together. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Members that override those of the provider's request body. */
  readonly extra?: JsonSchema;
}

export interface ChatRequest {
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly toolChoice?: ToolChoice;
  /** Asks for a structured answer, which the reply contains as `output`. */
  readonly output?: OutputSchema;
  readonly settings?: ChatSettings;
  readonly signal?: AbortSignal;
}

/**
 * A schema that has a JSON Schema and can check a value: zod 4.2 and later, and other libraries that implement Standard
 * Schema with its JSON Schema extension. Source: standardschema.dev, 2026-11.
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
  /** Name for the provider: letters, digits, `_`, and `-`. Default "output". */
  readonly name?: string;
  readonly description?: string;
  /** Whether the provider enforces the schema, if it can. */
  readonly strict?: boolean;
}
