/** Public names of the mock client core that need no SDK. */
export * from "./message.ts";
export { assistant, system, toolResult, user } from "./make-message.ts";
export * from "./tool.ts";
export * from "./request.ts";
export * from "./reply.ts";
export type { ChatClient } from "./chat-client.ts";
export * from "./errors.ts";
export * from "./surroundings.ts";
export { checkRequest } from "./check-request.ts";
export { collect, createMerger, replyEvents, type Merger } from "./merge-pieces.ts";
export { checkOutputValue, jsonSchemaOf, readOutput } from "./structured-output.ts";
export {
  mockEvents,
  splitText,
  type MockAnswer,
  type MockReply,
  type TextPieces,
} from "./mock/mock-reply.ts";
export * from "./mock/mock-client.ts";
export * from "./mock/chaos-client.ts";
export type { Fault } from "./mock/faults.ts";
export * from "./mock/cached-client.ts";
export { RETRY_POLICIES, retrying } from "./wrap/retry.ts";
export type { RetryOptions, RetryPolicy, RetryPolicyName } from "./wrap/retry.ts";
export { timeLimited } from "./wrap/time-limit.ts";
export { contextGuarded, estimateContext, rolledBack, tokenLimited } from "./wrap/token-limit.ts";
export type {
  ContextGuardOptions,
  CountTokens,
  TokenLimitedClient,
  TokenLimitOptions,
} from "./wrap/token-limit.ts";
