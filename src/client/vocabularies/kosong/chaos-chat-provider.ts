import type { ThinkingEffort } from "../../request.ts";
import { chaosConfig, chaosFetch, chaosRandom, corrupted, type ChaosConfig } from "./chaos.ts";
import { recover } from "./chat-provider.ts";
import type { ChatProvider, Prompt, RetryableChatProvider, StreamedMessage } from "./chat-provider.ts";
import { ChatProviderError } from "./errors.ts";
import type { StreamedMessagePart } from "./parts.ts";

/** A provider whose transport can be put in another's place. */
export interface FetchChatProvider extends ChatProvider {
  fetch: typeof globalThis.fetch;
}

/** The dice of one chaos provider and its copies. */
interface Dice {
  readonly transport: () => number;
  readonly parts: () => number;
}

/** Lets requests fail and tool calls lose their end, as often as the settings say. */
export class ChaosChatProvider implements RetryableChatProvider {
  readonly #inner: FetchChatProvider;
  readonly #config: ChaosConfig;
  readonly #dice: Dice;
  #wrapped: typeof globalThis.fetch;

  /** @throws ChatProviderError for a provider without a transport that can be replaced. */
  constructor(inner: ChatProvider, given: Partial<ChaosConfig> = {}, dice?: Dice) {
    if (!hasFetch(inner))
      throw new ChatProviderError(
        "ChaosChatProvider only supports providers backed by httpx.AsyncBaseTransport",
        "validation",
      );
    this.#inner = inner;
    this.#config = chaosConfig(given);
    this.#dice = dice ?? { transport: chaosRandom(this.#config), parts: chaosRandom(this.#config) };
    this.#wrapped = this.#wrap();
  }

  get name(): string {
    return this.#inner.name;
  }

  get modelName(): string {
    const { errorProbability, corruptToolCallProbability } = this.#config;
    const { modelName } = this.#inner;
    return errorProbability > 0 || corruptToolCallProbability > 0 ? `chaos(${modelName})` : modelName;
  }

  get thinkingEffort(): ThinkingEffort | null {
    return this.#inner.thinkingEffort;
  }

  async generate(prompt: Prompt): Promise<StreamedMessage> {
    return corruptedStream(await this.#inner.generate(prompt), this.#config, this.#dice);
  }

  withThinking(effort: ThinkingEffort): ChaosChatProvider {
    return new ChaosChatProvider(this.#inner.withThinking(effort), this.#config, this.#dice);
  }

  /** A recovery may have brought a new transport, which is then wrapped again. */
  onRetryableError(error: unknown): boolean {
    const recovered = recover(this.#inner, error);
    if (recovered && this.#inner.fetch !== this.#wrapped) this.#wrapped = this.#wrap();
    return recovered;
  }

  #wrap(): typeof globalThis.fetch {
    return (this.#inner.fetch = chaosFetch(this.#inner.fetch, this.#config, this.#dice.transport));
  }
}

/** The parts of a stream, some of them without their end; all else as it is. */
export function corruptedStream(
  stream: StreamedMessage,
  { corruptToolCallProbability }: ChaosConfig,
  { parts: random }: Pick<Dice, "parts">,
): StreamedMessage {
  const parts = (async function* (): AsyncGenerator<StreamedMessagePart, void, undefined> {
    for await (const part of stream) yield corrupted(part, () => random() < corruptToolCallProbability);
  })();
  return {
    get id() {
      return stream.id;
    },
    get usage() {
      return stream.usage;
    },
    get traceId() {
      return stream.traceId ?? null;
    },
    [Symbol.asyncIterator]: () => parts,
  };
}

function hasFetch(provider: ChatProvider): provider is FetchChatProvider {
  return "fetch" in provider && typeof provider.fetch === "function";
}
