import type { Completions } from "../../client/wire/completions.ts";
import type { Fields } from "../../core/base/lenient.ts";
import type { Surroundings } from "../../client/surroundings.ts";
import type { TokenBudget } from "./budget.ts";
import type { CountText } from "./token-counter.ts";
import type { ManusMessage } from "./messages.ts";
import type { LlmSettings } from "./settings.ts";

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
  /** Shared by clients that have one limit together. Default: a new one with the limit of the settings. */
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
