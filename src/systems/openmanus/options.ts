import type { Completions } from "../../client/wire/completions.ts";
import type { Fields } from "../../core/base/lenient.ts";
import type { Surroundings } from "../../client/surroundings.ts";
import type { TokenBudget } from "./budget.ts";
import type { CountText } from "./token-counter.ts";
import type { ManusMessage } from "./messages.ts";
import type { LlmSettings } from "./settings.ts";

/** A `Message`, or a map with `role` and other fields of the provider. */
export type MessageInput = ManusMessage | Fields;

export interface AskOptions {
  readonly systemMsgs?: readonly MessageInput[];
  readonly stream?: boolean;
  /** Overrides the setting, also with 0, but not with null. */
  readonly temperature?: number | null;
  /** Called with each piece of a streamed answer. */
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
  /** Other fields are added to the request and override its fields. */
  readonly extra?: Fields;
}

export interface LlmOptions {
  readonly settings: LlmSettings;
  readonly completions: Completions;
  /** The counter of the model's encoding: `loadEncoding(encodingFor(model))`, or any other. */
  readonly countText: CountText;
  /** Budget that several clients can share. Default: a new one with the limit of the settings. */
  readonly budget?: TokenBudget;
  /** Models that accept `max_completion_tokens` and no temperature. Default: OpenManus's two names. */
  readonly isReasoning?: (model: string) => boolean;
  readonly toolTokens?: "python" | "json";
  /** Whether to retry after an empty answer. Default false. */
  readonly retriesEmpty?: boolean;
  /** Default 6. */
  readonly tries?: number;
  readonly surroundings?: Partial<Surroundings>;
}
