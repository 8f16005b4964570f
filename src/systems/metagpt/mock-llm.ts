import { expectOptions, createOptionChecker } from "../../client/check-options.ts";
import type { ResponseCache } from "./cache/response-cache.ts";
import { isJsonArray, isJsonNumber, type JsonTree, plainJson } from "../../core/base/json/json-tree.ts";
import { takeCodePoints } from "../../client/code-points.ts";
import { invalid, isChatError, statusError } from "../../client/errors.ts";
import { pythonTree } from "../../client/python/value.ts";
import type { LogEntry } from "../../client/surroundings.ts";
import { createCandidates, type Candidate, type Candidates } from "./candidates.ts";
import type { CodeAnswer } from "./code-answer.ts";
import {
  aaskBatchKey,
  aaskCodeKey,
  aaskKey,
  listBatchTexts,
  type KeyedRequest,
  type Method,
  strongKey,
  listSystemTexts,
} from "./keys.ts";
import type { AaskCodeOptions, AaskOptions, LlmClient } from "./llm-client.ts";
import { seesImages } from "./message.ts";
import { createCacheMiss, type CacheMiss } from "./miss.ts";

/**
 * Decides the result of a call that is not in the cache.
 * "strict": an error. "live": the wrapped client answers. "warn-and-live": the same, with a warning in the log.
 * `default`: this answer, or the function's result for the miss. It never becomes a candidate.
 * `error`: the failure of a provider, so that tests of failures need no provider.
 */
export type MissPolicy =
  | "strict"
  | "live"
  | "warn-and-live"
  | { readonly default: unknown }
  | { readonly error: { readonly status: number; readonly message: string } };

export interface MockLlmOptions {
  readonly cache: ResponseCache;
  /** Client of live calls. Without it, live calls are impossible. */
  readonly live?: LlmClient;
  /** Means the policy "live" if no policy is given. Default false. */
  readonly allowLive?: boolean;
  readonly onMiss?: MissPolicy;
  /** Decides whether pictures count in the keys of `aaskCode`, and is part of strong keys. Default "gpt-4-turbo". */
  readonly model?: string;
  /** Part of strong keys. Default "openai". */
  readonly provider?: string;
  /** "legacy" finds and writes MetaGPT's keys; "both" looks a strong key up first and writes it; "strong" knows no other. Default "legacy". */
  readonly keys?: "legacy" | "both" | "strong";
  /** Whether a live answer also answers the same request later in the same test. Default false. */
  readonly rememberAtOnce?: boolean;
  /** The oldest candidates are dropped beyond this. Default 10000. */
  readonly maxCandidates?: number;
  readonly log?: (entry: LogEntry) => void;
}

export const MOCK_LLM_OPTIONS = createOptionChecker<MockLlmOptions>()(
  "cache live allowLive onMiss model provider keys rememberAtOnce maxCandidates log",
);

interface MockRequest extends KeyedRequest {
  /** Created on first use, because the other key may accept a request that this one rejects. */
  readonly legacy: () => string;
  readonly kind: "text" | "object";
  readonly policy: MissPolicy | undefined;
  readonly live: (client: LlmClient) => Promise<unknown>;
}

/** Any options of a call, with a miss policy for this call alone. */
type PerCall = { readonly onMiss?: MissPolicy };

/** MetaGPT's MockLLM: answers from a cache. If allowed, it also asks a real client and remembers candidates. */
export class MockLLM implements LlmClient {
  readonly #options: MockLlmOptions;
  readonly #candidates: Candidates;
  /** Live answers of this test, if the same test may use them again. */
  readonly #overlay = new Map<string, Promise<JsonTree>>();
  readonly #live: LlmClient | undefined;

  constructor(options: MockLlmOptions) {
    expectOptions(options, MOCK_LLM_OPTIONS);
    const { maxCandidates = 10_000 } = options;
    if (!Number.isInteger(maxCandidates) || maxCandidates < 1)
      throw invalid("maxCandidates", `must be a whole number from 1, not ${maxCandidates}`);
    this.#options = options;
    this.#candidates = createCandidates(maxCandidates);
    this.#live = options.live?.withoutRetries?.() ?? options.live;
  }

  get candidates(): readonly Candidate[] {
    return this.#candidates.list();
  }

  get droppedCandidates(): number {
    return this.#candidates.dropped;
  }

  clearCandidates(): void {
    this.#candidates.clear();
    this.#overlay.clear();
  }

  /** @throws CacheMiss for a miss that may not go live; ChatError as the live call gives it */
  async aask(msg: Parameters<LlmClient["aask"]>[0], options: AaskOptions & PerCall = {}): Promise<string> {
    const { onMiss, ...request } = options;
    const { systemMsgs, formatMsgs, images } = request;
    const systems = listSystemTexts(systemMsgs);
    return this.#answer({
      ...this.#model("aask", {
        msg,
        systemMsgs: systems.length > 0 ? systems : undefined,
        formatMsgs: formatMsgs?.length === 0 ? undefined : formatMsgs,
        images: typeof images === "string" ? [images] : images?.length === 0 ? undefined : images,
      }),
      legacy: () => aaskKey(msg, systemMsgs),
      kind: "text",
      policy: onMiss,
      live: (client) => client.aask(msg, { stream: false, ...request }),
    });
  }

  /** @throws as `aask` */
  async aaskBatch(
    msgs: Parameters<LlmClient["aaskBatch"]>[0],
    options: { readonly timeout?: number } & PerCall = {},
  ): Promise<string> {
    const { onMiss, ...request } = options;
    return this.#answer({
      ...this.#model("aask_batch", { msgs: listBatchTexts(msgs) }),
      legacy: () => aaskBatchKey(msgs),
      kind: "text",
      policy: onMiss,
      live: (client) => client.aaskBatch(msgs, request),
    });
  }

  /** @throws as `aask` */
  async aaskCode(
    messages: Parameters<LlmClient["aaskCode"]>[0],
    options: AaskCodeOptions & PerCall = {},
  ): Promise<CodeAnswer> {
    const { onMiss, ...request } = options;
    const { timeout: _, ...extra } = request;
    return this.#answer({
      ...this.#model("aask_code", { messages, ...extra }),
      legacy: () => aaskCodeKey(messages, { seesImages: seesImages(this.#options.model ?? "gpt-4-turbo") }),
      kind: "object",
      policy: onMiss,
      live: (client) => client.aaskCode(messages, request),
    });
  }

  /**
   * Replaces `aask`, `aaskBatch`, and `aaskCode` of a client by this mock, or of all clients of a class by its
   * prototype. Disposing restores the originals.
   * @throws ChatError "validation" for a class itself, which would have no effect on its clients
   */
  standInFor(target: object): { dispose(): void } {
    if (typeof target === "function")
      throw invalid("target", "must be a client or a prototype, not a class", "Give the class's prototype.");
    const names = ["aask", "aaskBatch", "aaskCode"] as const;
    const before = names.map((name) => [name, Object.getOwnPropertyDescriptor(target, name)] as const);
    for (const name of names) {
      const value = this[name].bind(this);
      Object.defineProperty(target, name, { value, configurable: true, writable: true });
    }
    const dispose = (): void => {
      for (const [name, descriptor] of before) {
        if (descriptor === undefined) Reflect.deleteProperty(target, name);
        else Object.defineProperty(target, name, descriptor);
      }
    };
    return { dispose };
  }

  #model(method: Method, args: Readonly<Record<string, unknown>>): KeyedRequest {
    const { provider = "openai", model = "gpt-4-turbo" } = this.#options;
    return { method, provider, model, args };
  }

  /** Answers the calls of all methods. The type of the answer is not checked, as in MetaGPT. */
  async #answer<T>(request: MockRequest): Promise<T> {
    const { keys = "legacy", cache } = this.#options;
    const strong = keys === "legacy" ? undefined : strongKey(request);
    const legacy = keys === "strong" ? undefined : legacyKey(request, keys === "both");
    const found = [strong, legacy].find((key) => key !== undefined && cache.has(key));
    const key = String(found ?? strong ?? legacy);
    const keep = this.#candidates.begin();
    const answer = found === undefined ? await this.#missed(key, request) : this.#hit(key, request);
    if (answer.keeps) keep({ key, answer: answer.tree });
    return plainJson(answer.tree) as T;
  }

  #hit(key: string, { kind, method }: MockRequest): MockAnswer {
    this.#log("warning", "Use response cache");
    const tree = this.#options.cache.get(key) ?? null;
    if (tree !== null && kindOf(tree) !== kind)
      this.#log("warning", `The stored answer is no ${kind}, but ${method} asked for one.`);
    return { tree, keeps: true };
  }

  async #missed(key: string, request: MockRequest): Promise<MockAnswer> {
    const { onMiss, allowLive = false } = this.#options;
    const policy = request.policy ?? onMiss ?? (allowLive ? undefined : "strict");
    if (typeof policy === "object") {
      if ("error" in policy) throw statusError(policy.error.status, policy.error.message);
      const given = policy.default;
      const answer: unknown = typeof given === "function" ? await given(this.#miss(key, request)) : given;
      return { tree: pythonTree(answer, "the default answer"), keeps: false };
    }
    if (policy === "strict") throw this.#miss(key, request);
    if (policy === "warn-and-live")
      this.#log("warning", `Not in the response cache, asking live: ${takeCodePoints(key, 100)}`);
    return { tree: await this.#askLive(key, request), keeps: true };
  }

  async #askLive(key: string, request: MockRequest): Promise<JsonTree> {
    const remembered = this.#overlay.get(key);
    if (remembered !== undefined) return remembered;
    const live = this.#live;
    if (live === undefined) {
      throw invalid(
        "live",
        "live calls are allowed, but there is no client to make them",
        "Give MockLLM a live client.",
      );
    }
    const asking = request.live(live).then((answer) => storable(answer));
    if (this.#options.rememberAtOnce === true) {
      this.#overlay.set(key, asking);
      asking.catch(() => this.#overlay.delete(key));
    }
    return asking;
  }

  #miss(key: string, { method }: MockRequest): CacheMiss {
    const { cache } = this.#options;
    return createCacheMiss({ key, method, cacheFile: cache.place, known: cache.keys() });
  }

  #log(level: LogEntry["level"], message: string): void {
    this.#options.log?.({ level, message });
  }
}

interface MockAnswer {
  readonly tree: JsonTree;
  readonly keeps: boolean;
}

/** Content that a legacy key cannot hold (such as a picture in a list) is no failure if there is a strong key. */
function legacyKey({ legacy }: MockRequest, isOptional: boolean): string | undefined {
  try {
    return legacy();
  } catch (error) {
    if (isOptional && isChatError(error)) return undefined;
    throw error;
  }
}

function kindOf(tree: JsonTree): "text" | "object" | "other" {
  if (typeof tree === "string") return "text";
  return typeof tree === "object" && tree !== null && !isJsonArray(tree) && !isJsonNumber(tree)
    ? "object"
    : "other";
}

/** A value that JSON can represent: no NaN and no infinities. */
function storable(answer: unknown): JsonTree {
  const tree = pythonTree(answer, "the live answer");
  refuseNonNumbers(tree);
  return tree;
}

function refuseNonNumbers(tree: JsonTree): void {
  if (typeof tree !== "object" || tree === null) return;
  if (isJsonArray(tree)) return tree.forEach(refuseNonNumbers);
  if (!isJsonNumber(tree)) return tree.members.forEach(([, value]) => refuseNonNumbers(value));
  if (/[NI]/.test(tree.number))
    throw invalid("the live answer", `${tree.number} cannot be written to a JSON file`);
}
