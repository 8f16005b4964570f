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
export { RETRY_POLICIES, retrying } from "./retry.ts";
export type { RetryOptions, RetryPolicy, RetryPolicyName } from "./retry.ts";
