/** OpenAI and compatible providers, with the official SDK. */
export { createCompatibleChat, createOpenaiChat, type OpenaiChatOptions } from "./chat/client.ts";
export { createOpenaiResponses, type OpenaiResponsesOptions } from "./chat/client.ts";
export type { OpenaiConnection, OpenaiSdk } from "./sdk.ts";
