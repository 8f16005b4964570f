import type { ThinkingEffort } from "../../request.ts";
import type { Prompt, RetryableChatProvider, StreamedMessage } from "./chat-provider.ts";
import { MockChatProvider, type MockChatProviderOptions } from "./mock-chat-provider.ts";
import type { StreamedMessagePart } from "./parts.ts";

export interface RecoveringOptions extends MockChatProviderOptions {
  /** Errors that the first calls end with, one a call, before any part. */
  readonly failures?: readonly Error[];
  /** Whether something can be done about an error. Default: always. */
  readonly recovers?: (error: unknown) => boolean;
}

/** A mock that fails first and can recover: for tests of whoever retries. */
export class RecoveringMockChatProvider implements RetryableChatProvider {
  readonly name = "mock";
  readonly modelName = "mock";
  /** The errors that it was told of, in order. */
  readonly recoveries: unknown[] = [];
  readonly #mock: MockChatProvider;
  readonly #options: RecoveringOptions;
  readonly #failures: Error[];

  constructor(parts: readonly StreamedMessagePart[], options: RecoveringOptions = {}) {
    this.#mock = new MockChatProvider(parts, options);
    this.#options = options;
    this.#failures = [...(options.failures ?? [])];
  }

  get thinkingEffort(): ThinkingEffort | null {
    return this.#mock.thinkingEffort;
  }

  async generate(prompt: Prompt): Promise<StreamedMessage> {
    const failure = this.#failures.shift();
    if (failure !== undefined) throw failure;
    return this.#mock.generate(prompt);
  }

  withThinking(effort: ThinkingEffort): MockChatProvider {
    return this.#mock.withThinking(effort);
  }

  onRetryableError(error: unknown): boolean {
    this.recoveries.push(error);
    return this.#options.recovers?.(error) ?? true;
  }
}
