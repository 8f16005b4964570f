import { isFields } from "../../core/base/lenient.ts";
import { expectObject } from "../../client/check-options.ts";
import type { ThinkingEffort } from "../../client/request.ts";
import { seededRandom } from "../../client/surroundings.ts";
import {
  type ChatProvider,
  type Prompt,
  recover,
  type RetryableChatProvider,
  type StreamedMessage,
} from "./chat-provider.ts";
import { type ChatProviderError, validationError } from "./errors.ts";
import { isToolCall, isToolCallPart, type StreamedMessagePart, toolCallPart } from "./parts.ts";

/** A provider whose transport can be replaced. */
export interface FetchChatProvider extends ChatProvider {
  fetch: typeof globalThis.fetch;
}

/** The random generator that one chaos provider and its copies share. */
interface Dice {
  readonly transport: () => number;
  readonly parts: () => number;
}

/** Fails requests and cuts the ends of tool calls, with the probabilities of the settings. */
export class ChaosChatProvider implements RetryableChatProvider {
  readonly #inner: FetchChatProvider;
  readonly #config: ChaosConfig;
  readonly #dice: Dice;
  #wrapped: typeof globalThis.fetch;

  /** @throws ChatProviderError for a provider without a transport that can be replaced. */
  constructor(inner: ChatProvider, given: Partial<ChaosConfig> = {}, dice?: Dice) {
    if (!hasFetch(inner))
      throw validationError("ChaosChatProvider only supports providers backed by httpx.AsyncBaseTransport");
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
    return newChaos(this.#inner.withThinking(effort) as FetchChatProvider, this.#config, this.#dice);
  }

  /** A recovery may have created a new transport, which is then wrapped too. */
  onRetryableError(error: unknown): boolean {
    const recovered = recover(this.#inner, error);
    if (this.#inner.fetch !== this.#wrapped) this.#wrapped = this.#wrap();
    return recovered;
  }

  #wrap(): typeof globalThis.fetch {
    return (this.#inner.fetch = chaosFetch(this.#inner.fetch, this.#config, this.#dice.transport));
  }
}

/** Outside of the class, because the bundler renames a class that names itself. */
const newChaos = (inner: FetchChatProvider, config: ChaosConfig, dice: Dice): ChaosChatProvider =>
  new ChaosChatProvider(inner, config, dice);

/** Yields the parts of a stream and cuts the ends of some tool calls. */
export function corruptedStream(
  stream: StreamedMessage,
  config: ChaosConfig,
  dice: Pick<Dice, "parts">,
): StreamedMessage {
  expectObject(config, "config");
  expectObject(dice, "dice");
  const { corruptToolCallProbability } = config;
  const { parts: random } = dice;
  const parts = (async function* (): AsyncGenerator<StreamedMessagePart, void, undefined> {
    for await (const part of stream) yield corruptPart(part, () => random() < corruptToolCallProbability);
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
  return isFields(provider) && typeof provider["fetch"] === "function";
}

export interface ChaosConfig {
  /** From 0 to 1: how often a request is answered with an error. */
  readonly errorProbability: number;
  /** One of these statuses is drawn at random. */
  readonly errorTypes: readonly number[];
  /** The `retry-after` of a 429, in seconds. */
  readonly retryAfter: number;
  /** Null gives another pattern in each run. */
  readonly seed: number | null;
  /** From 0 to 1: how often the end of a tool call's arguments is lost. */
  readonly corruptToolCallProbability: number;
}

const DEFAULTS: ChaosConfig = {
  errorProbability: 0.3,
  errorTypes: [429, 500, 502, 503],
  retryAfter: 2,
  seed: null,
  corruptToolCallProbability: 0.1,
};

/** @throws ChatProviderError for a probability outside 0 to 1, an invalid status, or an empty list of statuses. */
export function chaosConfig(given: Partial<ChaosConfig> = {}): ChaosConfig {
  const config = { ...DEFAULTS, ...given };
  for (const name of ["errorProbability", "corruptToolCallProbability"] as const)
    if (!(config[name] >= 0 && config[name] <= 1)) throw wrong(name, "a number from 0 to 1", config[name]);
  if (!(config.retryAfter >= 0))
    throw wrong("retryAfter", "a number of seconds from 0 on", config.retryAfter);
  const strange = config.errorTypes.find(
    (status) => !Number.isInteger(status) || status < 400 || status > 599,
  );
  if (strange !== undefined) throw wrong("errorTypes", "statuses from 400 to 599", strange);
  if (config.errorTypes.length === 0 && config.errorProbability > 0)
    throw wrong("errorTypes", "at least one status", "none");
  return Object.freeze({ ...config, errorTypes: Object.freeze([...config.errorTypes]) });
}

/** Reads the settings from environment variables. A missing variable has its default. @throws ChatProviderError */
export function chaosConfigFromEnvironment(env: Readonly<Record<string, string | undefined>>): ChaosConfig {
  const number = <T extends number | null>(name: string, fallback: T): T | number => {
    const text = env[name];
    if (text === undefined) return fallback;
    if (text.trim() === "" || Number.isNaN(Number(text))) throw wrong(name, "a number", text);
    return Number(text);
  };
  const types = env["CHAOS_ERROR_TYPES"]?.split(",").map((one) => one.trim());
  const odd = types?.find((one) => !/^\d+$/.test(one));
  if (odd !== undefined) throw wrong("CHAOS_ERROR_TYPES", "statuses parted by commas", odd);
  return chaosConfig({
    errorProbability: number("CHAOS_ERROR_PROBABILITY", DEFAULTS.errorProbability),
    errorTypes: types?.map(Number) ?? DEFAULTS.errorTypes,
    retryAfter: number("CHAOS_RETRY_AFTER", DEFAULTS.retryAfter),
    seed: env["CHAOS_SEED"] === "" ? null : number("CHAOS_SEED", DEFAULTS.seed),
    corruptToolCallProbability: number(
      "CHAOS_CORRUPT_TOOL_CALL_PROBABILITY",
      DEFAULTS.corruptToolCallProbability,
    ),
  });
}

const FAULTS: Readonly<Record<number, { readonly code: string; readonly message: string }>> = {
  429: { code: "rate_limit_exceeded", message: "Rate limit exceeded" },
  500: { code: "internal_error", message: "Internal server error" },
  502: { code: "bad_gateway", message: "Bad gateway" },
  503: { code: "service_unavailable", message: "Service temporarily unavailable" },
};

interface ChaosAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function chaosAnswer(status: number, retryAfter: number): ChaosAnswer {
  const { code, message } = FAULTS[status] ?? { code: undefined, message: "Unknown error" };
  const inner =
    code === undefined ? `{"message": "${message}"}` : `{"code": "${code}", "message": "${message}"}`;
  return {
    status,
    headers: {
      "content-type": "application/json",
      ...(status === 429 && { "retry-after": String(retryAfter) }),
    },
    body: `{"error": ${inner}}`,
  };
}

/** Creates the random generator of one provider, seeded if a seed is given. */
function chaosRandom({ seed }: ChaosConfig): () => number {
  return seed === null ? () => Math.random() : seededRandom(seed);
}

/** Creates a `fetch` that answers some requests with an error instead of sending them. */
export function chaosFetch(
  send: typeof globalThis.fetch,
  config: ChaosConfig,
  random: () => number,
): typeof globalThis.fetch {
  return async (input, init) => {
    if (!(random() < config.errorProbability)) return send(input, init);
    const drawn = config.errorTypes[Math.floor(random() * config.errorTypes.length)];
    const { status, headers, body } = chaosAnswer(Number(drawn), config.retryAfter);
    return new Response(body, { status, headers });
  };
}

/** Returns the part, or a copy whose arguments lost their last brace. */
export function corruptPart(part: StreamedMessagePart, hits: () => boolean): StreamedMessagePart {
  if (isToolCallPart(part)) {
    const written = part.arguments_part;
    return written?.endsWith("}") === true && hits() ? toolCallPart(written.slice(0, -1)) : part;
  }
  if (!isToolCall(part)) return part;
  const written = part.function.arguments;
  if (written?.endsWith("}") !== true || !hits()) return part;
  return { ...part, function: { ...part.function, arguments: written.slice(0, -1) } };
}

function wrong(name: string, expected: string, got: unknown): ChatProviderError {
  return validationError(`${name} must be ${expected}, got ${String(got)}.`);
}
