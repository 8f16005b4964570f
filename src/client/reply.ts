import type { Message } from "./message.ts";
import type { Usage } from "./usage.ts";

/** Why the model stopped; "other" where the provider's word means none of these. */
export type FinishReason = "stop" | "length" | "tool-calls" | "content-filter" | "error" | "other";

/** The whole answer to one request. */
export interface ChatReply {
  /** Its role is "assistant". */
  readonly message: Message;
  readonly finishReason: FinishReason;
  /** The provider's own word for it. */
  readonly rawFinishReason?: string;
  /** Absent where the provider gave none: never zeros in its place. */
  readonly usage?: Usage;
  readonly id?: string;
  /** The model that answered, which may be another than was asked. */
  readonly model?: string;
  /** The parsed structured answer, where one was asked for. */
  readonly output?: unknown;
  /** The provider's own answer: its body, or nothing for a stream. */
  readonly raw?: unknown;
}
