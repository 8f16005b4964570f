/** kosong's vocabulary on the core: parts, messages, providers, generate and step. */
export * from "./parts.ts";
export * from "./message.ts";
export * from "./token-usage.ts";
export * from "./errors.ts";
export * from "./chat-provider.ts";
export * from "./mock-chat-provider.ts";
export * from "./step.ts";
export * from "./toolset.ts";
export { dereference, ensurePropertyTypes } from "./json-schema.ts";
export { parseEchoScript, type EchoScript } from "./echo-dsl.ts";
export * from "./echo-chat-provider.ts";
export {
  chaosAnswer,
  chaosConfig,
  chaosConfigFromEnvironment,
  chaosFetch,
  type ChaosConfig,
} from "./chaos-chat-provider.ts";
export { ChaosChatProvider, corruptedStream, type FetchChatProvider } from "./chaos-chat-provider.ts";
export { coreMessage, kosongMessages } from "./core-client.ts";
export { clientFromProvider, providerFromClient, type ClientOverFetch } from "./core-client.ts";
