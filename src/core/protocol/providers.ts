import type { DialectName, ProviderFacts } from "./base/protocol.ts";

/** A provider that is known by name. Its dialect stands here by its name: who asks for facts alone loads no dialect. */
export interface KnownProvider extends ProviderFacts {
  readonly dialect: DialectName;
}

/**
 * The providers that are known by name. Their addresses are origins, because what follows the name in an address
 * of ours is the provider's own path. Variables are those that a client of the provider itself reads.
 * Sources, all 2026-11: openai-node and openai-python (OPENAI_BASE_URL, AZURE_OPENAI_ENDPOINT), langchain-openai and
 * litellm (OPENAI_API_BASE, beside which LangChain's embeddings of Azure fail), the Anthropic SDKs
 * (ANTHROPIC_BASE_URL), groq-typescript (GROQ_BASE_URL, default https://api.groq.com), together-typescript
 * (TOGETHER_BASE_URL, default …/v1), js-genai (GOOGLE_GEMINI_BASE_URL), ollama-python (OLLAMA_HOST),
 * dashscope-sdk-python `common/env.py`, js-genai and python-genai (GOOGLE_VERTEX_BASE_URL), the AWS SDKs
 * (AWS_ENDPOINT_URL_BEDROCK_RUNTIME, AWS_BEARER_TOKEN_BEDROCK), cohere-python (CO_API_URL), the SDKs of OpenRouter
 * (OPENROUTER_BASE_URL), @anthropic-ai/bedrock-sdk, vertex-sdk and foundry-sdk (ANTHROPIC_…_BASE_URL), anthropic-sdk-python `lib/` (its hosts on AWS and Google), replicate-python
 * `client.py` (REPLICATE_BASE_URL; the JavaScript one reads none), kimi-cli (KIMI_BASE_URL); DeepSeek, Mistral, xAI and
 * Hugging Face have none. Of key variables the first is the SDK's own; those after it are read by the packages of
 * vercel/ai (@ai-sdk/google, azure, cohere, togetherai), litellm 1.110 and kosong.
 */
export const PROVIDERS: readonly KnownProvider[] = [
  {
    name: "openai",
    dialect: "openai",
    upstream: "https://api.openai.com",
    hosts: ["*.api.openai.com", "bedrock-mantle.*.api.aws"],
    variables: [{ name: "OPENAI_BASE_URL", path: "/v1" }],
    variablesOfOthers: [{ name: "OPENAI_API_BASE", path: "/v1" }],
    keyVariables: ["OPENAI_API_KEY"],
  },
  {
    name: "anthropic",
    dialect: "anthropic",
    upstream: "https://api.anthropic.com",
    hosts: ["aws-external-anthropic.*.api.aws", "bedrock-mantle.*.api.aws/anthropic"],
    variables: [{ name: "ANTHROPIC_BASE_URL", path: "" }],
    keyVariables: ["ANTHROPIC_API_KEY"],
    otherCredentials: ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_PROFILE", "ANTHROPIC_FEDERATION_RULE_ID"],
  },
  {
    name: "gemini",
    dialect: "gemini",
    upstream: "https://generativelanguage.googleapis.com",
    variables: [{ name: "GOOGLE_GEMINI_BASE_URL", path: "" }],
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY"],
    // The SDK warns where it finds this one beside its own.
    otherCredentials: ["GOOGLE_API_KEY"],
  },
  // Regions have addresses of their own; this one serves the location `global`.
  {
    name: "vertex",
    dialect: "gemini",
    upstream: "https://aiplatform.googleapis.com",
    hosts: ["*-aiplatform.googleapis.com", "aiplatform.*.rep.googleapis.com", "claude.googleapis.com"],
    variables: [
      { name: "GOOGLE_VERTEX_BASE_URL", path: "" },
      { name: "ANTHROPIC_VERTEX_BASE_URL", path: "/v1" },
    ],
    keyVariables: [],
  },
  {
    name: "ollama",
    dialect: "ollama",
    upstream: "http://127.0.0.1:11434",
    variables: [{ name: "OLLAMA_HOST", path: "" }],
    keyVariables: [],
  },
  // Every resource has an address of its own.
  {
    name: "azure",
    dialect: "openai",
    hosts: [
      "*.openai.azure.com",
      "*.openai.azure.us",
      "*.cognitiveservices.azure.com",
      "*.services.ai.azure.com",
    ],
    variables: [{ name: "AZURE_OPENAI_ENDPOINT", path: "" }],
    needsVariable: true,
    keyVariables: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    otherCredentials: ["AZURE_OPENAI_AD_TOKEN"],
  },
  // Every region has an address of its own.
  {
    name: "bedrock",
    dialect: "bedrock",
    hosts: ["bedrock-runtime.*.amazonaws.com", "bedrock-runtime-fips.*.amazonaws.com"],
    variables: [
      { name: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", path: "" },
      { name: "ANTHROPIC_BEDROCK_BASE_URL", path: "" },
    ],
    // AWS's own credentials are as good: its SDK for Go refuses a bearer token without TLS, as our address is.
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    otherCredentials: [
      "AWS_ACCESS_KEY_ID",
      "AWS_PROFILE",
      "AWS_WEB_IDENTITY_TOKEN_FILE",
      "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
      "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ],
  },
  // Anthropic's models on Azure; every resource has an address of its own.
  {
    name: "foundry",
    dialect: "anthropic",
    hosts: ["*.services.ai.azure.com/anthropic"],
    variables: [{ name: "ANTHROPIC_FOUNDRY_BASE_URL", path: "/anthropic" }],
    needsVariable: true,
    keyVariables: ["ANTHROPIC_FOUNDRY_API_KEY"],
  },
  {
    name: "cohere",
    dialect: "cohere",
    upstream: "https://api.cohere.com",
    hosts: ["api.cohere.ai"],
    variables: [{ name: "CO_API_URL", path: "" }],
    keyVariables: ["CO_API_KEY", "COHERE_API_KEY"],
  },
  {
    name: "dashscope",
    dialect: "dashscope",
    upstream: "https://dashscope.aliyuncs.com",
    hosts: ["dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"],
    variables: [
      { name: "DASHSCOPE_HTTP_BASE_URL", path: "/api/v1" },
      { name: "DASHSCOPE_COMPATIBLE_BASE_URL", path: "/compatible-mode/v1" },
    ],
    keyVariables: ["DASHSCOPE_API_KEY"],
  },
  {
    name: "openrouter",
    dialect: "openrouter",
    upstream: "https://openrouter.ai",
    variables: [{ name: "OPENROUTER_BASE_URL", path: "/api/v1" }],
    keyVariables: ["OPENROUTER_API_KEY"],
    isChosenByKey: true,
  },
  {
    name: "groq",
    dialect: "openai",
    upstream: "https://api.groq.com",
    variables: [{ name: "GROQ_BASE_URL", path: "" }],
    keyVariables: ["GROQ_API_KEY"],
  },
  {
    name: "together",
    dialect: "together",
    upstream: "https://api.together.ai",
    hosts: ["api.together.xyz", "api-inference.together.ai"],
    variables: [{ name: "TOGETHER_BASE_URL", path: "/v1" }],
    keyVariables: ["TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY"],
  },
  {
    name: "deepseek",
    dialect: "deepseek",
    upstream: "https://api.deepseek.com",
    variables: [],
    keyVariables: ["DEEPSEEK_API_KEY"],
  },
  {
    name: "mistral",
    dialect: "mistral",
    upstream: "https://api.mistral.ai",
    hosts: ["codestral.mistral.ai"],
    variables: [],
    keyVariables: ["MISTRAL_API_KEY"],
  },
  {
    name: "xai",
    dialect: "xai",
    upstream: "https://api.x.ai",
    hosts: ["*.api.x.ai"],
    variables: [],
    keyVariables: ["XAI_API_KEY"],
  },
  {
    name: "moonshot",
    dialect: "moonshot",
    upstream: "https://api.moonshot.ai",
    hosts: ["api.moonshot.cn"],
    variables: [
      { name: "MOONSHOT_BASE_URL", path: "/v1" },
      { name: "KIMI_BASE_URL", path: "/v1" },
    ],
    keyVariables: ["MOONSHOT_API_KEY", "KIMI_API_KEY"],
  },
  // Predictions of any model, as plain HTTP.
  {
    name: "replicate",
    dialect: "http",
    upstream: "https://api.replicate.com",
    variables: [{ name: "REPLICATE_BASE_URL", path: "" }],
    keyVariables: ["REPLICATE_API_TOKEN", "REPLICATE_API_KEY"],
  },
  {
    name: "huggingface",
    dialect: "huggingface",
    upstream: "https://router.huggingface.co",
    hosts: ["api-inference.huggingface.co", "*.endpoints.huggingface.cloud"],
    variables: [],
    // HF_TOKEN serves downloads too, which a placeholder would break.
    keyVariables: [],
  },
];

/** Stands in for a key where the user has none and the mode cannot leave the machine. Never forwarded. */
export const PLACEHOLDER_KEY = "tapedeck-placeholder-key";

type Credentials = Pick<ProviderFacts, "keyVariables" | "otherCredentials">;

/** The variables that get a placeholder, as clients refuse to start without a key: none where one credential is there. */
export function placeholderVariables(
  provider: Credentials | undefined,
  isThere: (variable: string) => boolean,
): readonly string[] {
  return credentialVariables(provider).some(isThere) ? [] : (provider?.keyVariables ?? []);
}

/** The variables that give a provider's clients a credential; the first one is what its SDK asks for. */
export function credentialVariables(provider: Credentials | undefined): readonly string[] {
  return [...(provider?.keyVariables ?? []), ...(provider?.otherCredentials ?? [])];
}
