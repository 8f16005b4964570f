export { anthropicProvider, applyCacheControl } from "./anthropic-provider.ts";
export { ErrorBox, handleLlmCall, ResponseBox, type Turn } from "./answer-generator.ts";
export {
  clientFactory,
  correctServerNames,
  createMiroClient,
  providerOf,
  TOTAL_TIMEOUT_S,
  type CreateMessageOptions,
  type MiroAnswer,
  type MiroClient,
  type MiroClientOptions,
  type ProcessedAnswer,
} from "./client.ts";
export { ensureSummaryContext, type GuardResult as Guarded, type GuardOptions } from "./guard.ts";
export { formatResponseForLog } from "./log-format.ts";
export { openAiProvider } from "./openai-provider.ts";
export { answerText, experienceText, fixServerNames, parseToolCalls, type MiroToolCall } from "./parsing.ts";
export type {
  CallLimits,
  ConnectOptions,
  CreatedMessage,
  MiroConnection,
  MiroProvider,
  ParsedAnswer,
  ProviderCall,
  ProviderWording,
} from "./provider.ts";
export { OMITTED, retainToolResults, type RetentionOptions } from "./retention.ts";
export { readSettings, type MiroSettings } from "./settings.ts";
export type { TaskLog } from "./log-format.ts";
export { plainToolNames, safeToolNames, type ToolNames, type ToolPlace } from "./tool-names.ts";
export { convertToolDefinitionToToolCall, type ToolServer } from "./tool-names.ts";
export { tryAgain, type AttemptResult as Tried, type TryRules } from "./try-again.ts";
export {
  addTokens,
  anthropicUsage,
  createUsageLog,
  openAiUsage,
  type LastCallTokens,
  type MappedUsage,
  type TokenUsage,
  type UsageLog,
} from "./usage.ts";
