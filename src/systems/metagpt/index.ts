export { createResponseCache, DEFAULT_CACHE_FILE, memoryCache } from "./cache/response-cache.ts";
export type { CacheBackEnd, PendingChanges, ResponseCache } from "./cache/response-cache.ts";
export { cacheText, parseCacheText } from "./cache/cache-text.ts";
export { type JsonTree, plainJson } from "../../core/base/json/json-tree.ts";
export { pythonFloat, pythonTree } from "../../client/python/value.ts";
export { completionsOf } from "../../client/wire/from-chat-client.ts";
export { sdkCompletions, type Completions } from "../../client/wire/completions.ts";
export type { Candidate } from "./candidates.ts";
export { codeAnswer, EXECUTE_TOOL, firstFence, type CodeAnswer } from "./code-answer.ts";
export { aaskBatchKey, aaskCodeKey, aaskKey } from "./keys.ts";
export type { AaskCodeOptions, AaskOptions, DialogueMessage, LlmClient } from "./llm-client.ts";
export { maskBase64Data } from "./message.ts";
export { formatMsg, message, type CodeMessages, type MetaGptMessage } from "./message.ts";
export { isCacheMiss, type CacheMiss, type NearKey } from "./miss.ts";
export { MockLLM, type MissPolicy, type MockLlmOptions } from "./mock-llm.ts";
export { openAiLlm, type OpenAiLlm, type OpenAiLlmOptions } from "./openai-llm.ts";
export {
  allowsLiveCalls,
  createSession,
  migrateKey,
  type Session,
  type SessionOptions,
  type TestOutcome,
} from "./session.ts";
export { isStrongKey, strongKey, type KeyedRequest, type Method } from "./keys.ts";
