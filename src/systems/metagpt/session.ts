import { expectOptions } from "../../client/check-options.ts";
import type { ResponseCache } from "./cache/response-cache.ts";
import { type JsonTree, plainJson } from "../../core/base/json/json-tree.ts";
import { takeCodePoints } from "../../client/code-points.ts";
import { invalid } from "../../client/errors.ts";
import { writePythonRepr } from "../../client/python/write.ts";
import type { LogEntry } from "../../client/surroundings.ts";
import { MOCK_LLM_OPTIONS, MockLLM, type MockLlmOptions } from "./mock-llm.ts";
import { strongKey, type KeyedRequest } from "./keys.ts";

/** Outcome of a test. Only "passed" writes entries. */
export type TestOutcome = "passed" | "failed" | "skipped" | "errored" | "unreported";

export interface SessionOptions extends Omit<MockLlmOptions, "cache"> {
  /** `rsp_cache.json`, which answers all tests of the session. */
  readonly cache: ResponseCache;
  /** `rsp_cache_new.json`, which receives only the entries that passed tests of this session used. */
  readonly newCache?: ResponseCache;
}

/** A session of tests: one cache, a mock for each test, and the write-back of answers whose tests passed. */
export interface Session {
  mockLLM(): MockLLM;
  /** Adds the candidates of a passed test to the cache, and drops those of all other tests. */
  finishTest(mock: MockLLM, outcome: TestOutcome): void;
  /** Writes the changes, if there are any. @throws TapedeckError `tapedeck_cassette` */
  end(): Promise<void>;
}

/** Starts a session. Load the caches before: `await cache.load()`. */
export function createSession(options: SessionOptions): Session {
  expectOptions(options, { ...MOCK_LLM_OPTIONS, newCache: true });
  const { newCache, ...ofMocks } = options;
  const { cache, log = () => undefined } = ofMocks;
  return {
    mockLLM: () => new MockLLM(ofMocks),
    finishTest(mock, outcome) {
      if (outcome === "passed") promote(mock, { cache, newCache, log });
      mock.clearCandidates();
    },
    async end() {
      await cache.save();
      await newCache?.save();
    },
  };
}

interface PromotionParts {
  readonly cache: ResponseCache;
  readonly newCache?: ResponseCache | undefined;
  readonly log: (entry: LogEntry) => void;
}

/** The cache keeps the first answer of a key, the new cache the last. */
function promote(mock: MockLLM, { cache, newCache, log }: PromotionParts): void {
  for (const { key, answer } of mock.candidates) {
    newCache?.set(key, answer);
    if (cache.has(key)) continue;
    cache.set(key, answer);
    const [shownKey, shownAnswer] = [takeCodePoints(key, 100), takeCodePoints(answerText(answer), 20)];
    log({ level: "info", message: `Added '${shownKey} ... -> ${shownAnswer} ...' to response cache` });
  }
}

function answerText(answer: JsonTree): string {
  return typeof answer === "string" ? answer : writePythonRepr(plainJson(answer));
}

/** Copies the answer of a legacy key to the strong key of a request. Returns whether there was one. */
export function migrateKey(cache: ResponseCache, legacyKey: string, request: KeyedRequest): boolean {
  const answer = cache.get(legacyKey);
  if (answer === undefined) return false;
  cache.set(strongKey(request), answer);
  return true;
}

/**
 * MetaGPT's switch: whether `ALLOW_OPENAI_API_CALL` of an environment allows live calls. Off unless it is a whole
 * number other than 0, and always off where `CI` is set to anything but "", "0" or "false".
 * @throws ChatError "validation" if it is not a whole number
 */
export function allowsLiveCalls(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { ALLOW_OPENAI_API_CALL: given = "", CI: ci = "" } = environment;
  const text = given.trim();
  if (text === "") return false;
  if (!/^[+-]?\d+$/.test(text))
    throw invalid("ALLOW_OPENAI_API_CALL", `must be a whole number, not ${JSON.stringify(given)}`);
  return Number(text) !== 0 && ["", "0", "false"].includes(ci.trim().toLowerCase());
}
