import { seededRandom } from "../../surroundings.ts";
import { ChatProviderError } from "./errors.ts";
import { isToolCall, isToolCallPart, toolCallPart, type StreamedMessagePart } from "./parts.ts";

/** How much goes wrong. */
export interface ChaosConfig {
  /** From 0 to 1: how often a request is answered with an error. */
  readonly errorProbability: number;
  /** The statuses of which one is drawn. */
  readonly errorTypes: readonly number[];
  /** Seconds, told with a 429. */
  readonly retryAfter: number;
  /** Null: another pattern every time. */
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

/** @throws ChatProviderError for a probability outside 0 to 1, a status that is none, no status at all. */
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

/** The settings that the environment asks for; what is not there has its default. @throws ChatProviderError */
export function chaosConfigFromEnvironment(env: Readonly<Record<string, string | undefined>>): ChaosConfig {
  const number = (name: string, fallback: number): number => {
    const text = env[name];
    if (text === undefined) return fallback;
    if (text.trim() === "" || Number.isNaN(Number(text))) throw wrong(name, "a number", text);
    return Number(text);
  };
  const seed = env["CHAOS_SEED"] ?? "";
  const types = env["CHAOS_ERROR_TYPES"]?.split(",").map((one) => one.trim()) ?? [];
  const odd = types.find((one) => !/^\d+$/.test(one));
  if (odd !== undefined) throw wrong("CHAOS_ERROR_TYPES", "statuses parted by commas", odd);
  return chaosConfig({
    errorProbability: number("CHAOS_ERROR_PROBABILITY", DEFAULTS.errorProbability),
    errorTypes: types.length > 0 ? types.map(Number) : DEFAULTS.errorTypes,
    retryAfter: number("CHAOS_RETRY_AFTER", DEFAULTS.retryAfter),
    seed: seed === "" ? null : number("CHAOS_SEED", 0),
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

/** An injected HTTP answer. */
export interface ChaosAnswer {
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

/** A generator of chance for one provider: seeded where a seed is given. */
export function chaosRandom({ seed }: ChaosConfig): () => number {
  return seed === null ? () => Math.random() : seededRandom(seed);
}

/** A `fetch` that answers some requests with an error instead of sending them; one generator decides for all. */
export function chaosFetch(
  send: typeof globalThis.fetch,
  config: ChaosConfig,
  random: () => number,
): typeof globalThis.fetch {
  return async (input, init) => {
    if (!(random() < config.errorProbability)) return send(input, init);
    const drawn = config.errorTypes[Math.floor(random() * config.errorTypes.length)] ?? 500;
    const { status, headers, body } = chaosAnswer(drawn, config.retryAfter);
    return new Response(body, { status, headers });
  };
}

/** A part whose arguments may have lost their last brace; the given part stays as it is. */
export function corrupted(part: StreamedMessagePart, hits: () => boolean): StreamedMessagePart {
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
  return new ChatProviderError(`${name} must be ${expected}, got ${String(got)}.`, "validation");
}
