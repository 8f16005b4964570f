import type { ProviderFacts } from "./base/protocol.ts";
import type { DialectName } from "./dialects.ts";

/** A built-in provider. Refers to its dialect by name, so that this file loads no dialect. */
export interface KnownProvider extends ProviderFacts {
  readonly dialect: DialectName | "host";
}

/** The address of the language models of a VS Code window. No host can have it (RFC 6761). */
export const VSCODE_MODELS_ADDRESS = "https://vscode-lm.invalid";

/**
 * The built-in providers. Their addresses are origins, because Tapedeck's address continues with the provider's own path.
 * Variables are those that the provider's own clients read.
 * Sources, all 2026-11: openai-node and openai-python (OPENAI_BASE_URL, AZURE_OPENAI_ENDPOINT), langchain-openai and
 * litellm (OPENAI_API_BASE, which breaks LangChain's embeddings of Azure), the Anthropic SDKs
 * (ANTHROPIC_BASE_URL), groq-typescript (GROQ_BASE_URL, default https://api.groq.com), @cerebras/cerebras_cloud_sdk (CEREBRAS_BASE_URL), together-typescript
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
    // The SDK warns if both are set.
    otherCredentials: ["GOOGLE_API_KEY"],
  },
  // Each region has its own address; this one serves the location `global`.
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
  // Each resource has its own address.
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
  // Each region has its own address.
  {
    name: "bedrock",
    dialect: "bedrock",
    hosts: ["bedrock-runtime.*.amazonaws.com", "bedrock-runtime-fips.*.amazonaws.com"],
    variables: [
      { name: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME", path: "" },
      { name: "ANTHROPIC_BEDROCK_BASE_URL", path: "" },
    ],
    // AWS credentials work as well. The SDK for Go rejects a bearer token without TLS, which Tapedeck's address lacks.
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK"],
    otherCredentials: [
      "AWS_ACCESS_KEY_ID",
      "AWS_PROFILE",
      "AWS_WEB_IDENTITY_TOKEN_FILE",
      "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
      "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    ],
  },
  // Anthropic's models on Azure; each resource has its own address.
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
    hosts: [
      "dashscope-intl.aliyuncs.com",
      "dashscope-us.aliyuncs.com",
      "*.dashscope.aliyuncs.com",
      // A workspace in a region.
      "*.*.maas.aliyuncs.com",
    ],
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
  // Serves clients of OpenAI and Anthropic. Calls of vercel/ai itself (`/v4/ai/…`) are plain HTTP.
  {
    name: "vercel",
    dialect: "host",
    upstream: "https://ai-gateway.vercel.sh",
    variables: [],
    keyVariables: ["AI_GATEWAY_API_KEY"],
    otherCredentials: ["VERCEL_OIDC_TOKEN"],
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
    name: "cerebras",
    dialect: "cerebras",
    upstream: "https://api.cerebras.ai",
    variables: [{ name: "CEREBRAS_BASE_URL", path: "" }],
    keyVariables: ["CEREBRAS_API_KEY"],
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
  // Calls of `vscode.lm`, which the extension answers in its own process.
  {
    name: "vscode",
    dialect: "vscode",
    upstream: VSCODE_MODELS_ADDRESS,
    variables: [],
    keyVariables: [],
  },
];

/** Replaces a missing key in modes that do not send calls. Never forwarded. */
export const PLACEHOLDER_KEY = "tapedeck-placeholder-key";

type Credentials = Pick<ProviderFacts, "keyVariables" | "otherCredentials">;

/** Returns the variables to set to a placeholder, because clients need a key to start; none if a credential is set. */
export function listPlaceholderVariables(
  provider: Credentials | undefined,
  isThere: (variable: string) => boolean,
): readonly string[] {
  return listCredentialVariables(provider).some(isThere) ? [] : (provider?.keyVariables ?? []);
}

/** Returns the variables for a provider's credentials; the first one is that of its SDK. */
export function listCredentialVariables(provider: Credentials | undefined): readonly string[] {
  return [...(provider?.keyVariables ?? []), ...(provider?.otherCredentials ?? [])];
}
