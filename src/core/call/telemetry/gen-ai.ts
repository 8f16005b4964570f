/**
 * What a call is in OpenTelemetry's conventions for generative AI: the one place that knows their names.
 * Source: opentelemetry.io/docs/specs/semconv/gen-ai, version 1.45.0; the attributes are in development there.
 */

/** The address of the conventions' version, as exported data names it. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/1.45.0";

export const GEN_AI = {
  operationName: "gen_ai.operation.name",
  providerName: "gen_ai.provider.name",
  conversationId: "gen_ai.conversation.id",
  requestModel: "gen_ai.request.model",
  requestStream: "gen_ai.request.stream",
  requestTemperature: "gen_ai.request.temperature",
  requestTopP: "gen_ai.request.top_p",
  requestTopK: "gen_ai.request.top_k",
  requestMaxTokens: "gen_ai.request.max_tokens",
  requestSeed: "gen_ai.request.seed",
  requestFrequencyPenalty: "gen_ai.request.frequency_penalty",
  requestPresencePenalty: "gen_ai.request.presence_penalty",
  requestChoiceCount: "gen_ai.request.choice.count",
  responseId: "gen_ai.response.id",
  responseModel: "gen_ai.response.model",
  responseFinishReasons: "gen_ai.response.finish_reasons",
  inputTokens: "gen_ai.usage.input_tokens",
  cachedInputTokens: "gen_ai.usage.cache_read.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  /** Only where a person asks for them: they may be private. */
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
} as const;

export const ERROR_TYPE = "error.type";
export const TEST_CASE_NAME = "test.case.name";
export const TEST_SUITE_NAME = "test.suite.name";
export const SERVICE_NAME = "service.name";
export const SERVICE_VERSION = "service.version";

/** Providers that the conventions call otherwise than we do. */
const PROVIDERS: Readonly<Record<string, string>> = {
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  foundry: "azure.ai.inference",
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  mistral: "mistral_ai",
  xai: "x_ai",
};

/** The name of a provider, ours where the conventions have none. */
export const getTelemetryProviderName = (provider: string): string => PROVIDERS[provider] ?? provider;

const CHAT = "chat";
const COMPLETION = "text_completion";
const EMBEDDINGS = "embeddings";
const CONTENT = "generate_content";

/** Operations that the conventions have a word for. */
const OPERATIONS: ReadonlyMap<string, string> = new Map([
  ...["chat.completions", "chat", "chat.v1", "agents.completions", "messages", "responses"].map(
    (name) => [name, CHAT] as const,
  ),
  ...["conversations", "converse", "converse-stream", "invoke", "invoke-with-response-stream"].map(
    (name) => [name, CHAT] as const,
  ),
  ...["text-generation", "multimodal-generation"].flatMap((name) =>
    [name, `${name}.stream`].map((one) => [one, CHAT] as const),
  ),
  ...["completions", "fim.completions", "generate"].map((name) => [name, COMPLETION] as const),
  ...["embeddings", "embed", "embedContent", "batchEmbedContents"].map((name) => [name, EMBEDDINGS] as const),
  ...["generateContent", "streamGenerateContent"].map((name) => [name, CONTENT] as const),
]);

/** The name of an operation, ours where the conventions have none. */
export const getTelemetryOperationName = (operation: string): string =>
  OPERATIONS.get(operation) ?? operation;

/** Settings of requests, by the names that protocols have for them. */
const SETTINGS: Readonly<Record<string, string>> = {
  temperature: GEN_AI.requestTemperature,
  top_p: GEN_AI.requestTopP,
  topP: GEN_AI.requestTopP,
  p: GEN_AI.requestTopP,
  top_k: GEN_AI.requestTopK,
  topK: GEN_AI.requestTopK,
  k: GEN_AI.requestTopK,
  max_tokens: GEN_AI.requestMaxTokens,
  max_completion_tokens: GEN_AI.requestMaxTokens,
  max_output_tokens: GEN_AI.requestMaxTokens,
  maxOutputTokens: GEN_AI.requestMaxTokens,
  maxTokens: GEN_AI.requestMaxTokens,
  num_predict: GEN_AI.requestMaxTokens,
  seed: GEN_AI.requestSeed,
  frequency_penalty: GEN_AI.requestFrequencyPenalty,
  presence_penalty: GEN_AI.requestPresencePenalty,
  n: GEN_AI.requestChoiceCount,
};

/** The attributes that settings of a request stand for: those whose value is a number. */
export function convertSettingsToAttributes(
  settings: readonly (readonly [name: string, value: string])[],
): Readonly<Record<string, number>> {
  const found = settings.flatMap(([name, value]) => {
    // Some protocols have them in a member of their own: "inferenceConfig.temperature".
    const attribute = SETTINGS[name.slice(name.lastIndexOf(".") + 1)];
    const number = Number(value);
    return attribute === undefined || value === "" || !Number.isFinite(number)
      ? []
      : [[attribute, number] as const];
  });
  return Object.fromEntries(found);
}
