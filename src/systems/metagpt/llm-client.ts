import type { CodeAnswer } from "./code-answer.ts";
import type { CodeMessages, MetaGptMessage } from "./message.ts";

/** A map with `content`. Only the model checks roles and other fields. */
export type DialogueMessage = Readonly<Record<string, unknown>> | MetaGptMessage;

export interface AaskOptions {
  /** One system message may be given as a text. */
  readonly systemMsgs?: string | readonly string[] | null;
  readonly formatMsgs?: readonly DialogueMessage[] | null;
  /** Base64 or addresses that begin with "http"; one may be given as a text. */
  readonly images?: string | readonly string[] | null;
  /** Seconds; 0 means the configured time. */
  readonly timeout?: number;
  readonly stream?: boolean;
}

export interface AaskCodeOptions {
  readonly timeout?: number;
  /** Further fields of the request: `tools`, `tool_choice`, `temperature`, … */
  readonly [extra: string]: unknown;
}

/** MetaGPT's client interface, which the mock implements and wraps. */
export interface LlmClient {
  aask(msg: string | readonly DialogueMessage[], options?: AaskOptions): Promise<string>;
  aaskBatch(
    msgs: readonly (string | MetaGptMessage)[],
    options?: { readonly timeout?: number },
  ): Promise<string>;
  aaskCode(messages: CodeMessages, options?: AaskCodeOptions): Promise<CodeAnswer>;
  /** Returns the same client without retries, which a mock uses for live calls. */
  withoutRetries?(): LlmClient;
}
