export { completionsOf } from "../../client/wire/from-chat-client.ts";
export { sdkCompletions, type Completions } from "../../client/wire/completions.ts";
export {
  createBudget,
  TokenLimitExceeded,
  type CallTokens,
  type TokenBudget,
  type Totals,
} from "./budget.ts";
export { loadConfig, type ConfigOptions } from "./settings.ts";
export { clientKind, connectSdk, type ClientKind, type ConnectLlm } from "./open-manus.ts";
export { encodingFor, loadEncoding, type CountText, type EncodingName } from "./token-counter.ts";
export type { AskOptions, AskToolOptions, LlmOptions, MessageInput } from "./options.ts";
export { LLM, REASONING_MODELS } from "./llm.ts";
export {
  assistantMessage,
  formatMessages,
  message,
  MULTIMODAL_MODELS,
  systemMessage,
  toolMessage,
  userMessage,
  type ImageInput,
  type ManusMessage,
  type ManusToolCall,
  type ModelMessage,
} from "./messages.ts";
export { openManus, type OpenManus, type OpenManusOptions } from "./open-manus.ts";
export {
  readSettings,
  shownSettings,
  type GivenSettings,
  type LlmSettings,
  type ManusConfig,
  type McpServer,
} from "./settings.ts";
export { createTokenCounter, highDetailTokens, TOKENS, type TokenCounter } from "./token-counter.ts";
export { act, think, type AgentOptions, type AgentTool, type Thought } from "./tool-call-agent.ts";
