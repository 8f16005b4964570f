/** The mock client core's public names that need no SDK. */
export * from "./message.ts";
export * from "./tool.ts";
export * from "./output-schema.ts";
export * from "./request.ts";
export * from "./usage.ts";
export * from "./reply.ts";
export * from "./part-stream.ts";
export type { ChatClient } from "./chat-client.ts";
export * from "./errors.ts";
export * from "./surroundings.ts";
export { checkRequest } from "./check-request.ts";
export { createMerger, type Merger } from "./merge-pieces.ts";
export { collect } from "./collect.ts";
export { replyEvents } from "./reply-events.ts";
export { parseArguments } from "./tool-arguments.ts";
export { checkOutputValue, jsonSchemaOf, readOutput } from "./structured-output.ts";
