/** AgentScope's chat models with its own names, on the official SDKs. */
export * from "./response.ts";
export {
  ChatModelBase,
  isStreamed,
  lastResponse,
  type ChatTransport,
  type ModelAnswer,
  type ModelCall,
  type ModelOptions,
} from "./model-base.ts";
export { OpenAIChatModel, type OpenaiModelOptions } from "./openai-model.ts";
export type { OpenaiTransport } from "./openai-wire.ts";
export { AnthropicChatModel, type AnthropicModelOptions } from "./anthropic-model.ts";
export {
  DashScopeChatModel,
  type DashscopeModelOptions,
  type DashscopeTransport,
} from "./dashscope-model.ts";
export { GeminiChatModel, type GeminiModelOptions, type GeminiTransport } from "./gemini-model.ts";
export { OllamaChatModel, type OllamaModelOptions } from "./ollama-model.ts";
export type { StructuredModel } from "./structured.ts";
export { responseFromWire, type WireBody, type WireProvider } from "./wire-body.ts";
export { wireBodyOf } from "./wire-body.ts";
export { tracedCall, type ModelTracer, type TracedModelOptions } from "./traced-model.ts";
