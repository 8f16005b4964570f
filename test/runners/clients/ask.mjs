// @ts-nocheck -- the packages that it imports are installed by npm run clients-table alone
/*
 * Asks once with each client: node ask.mjs WAY. WAY is the source of the client's base URL. "variable": from the
 * environment, "default": its own, "code": the provider's, given to it. Each asks for a model that bears the client's
 * name, by which its call is known. Whether it is answered does not matter here.
 */
const [way, ...only] = process.argv.slice(2);

if (way !== "variable")
  for (const [name, value] of Object.entries(process.env))
    if (value.startsWith(`${process.env.TAPEDECK_URL}/`)) delete process.env[name];
Object.assign(process.env, {
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "AKIDOWN",
  AWS_SECRET_ACCESS_KEY: "own",
  AWS_EC2_METADATA_DISABLED: "true",
  ANTHROPIC_FOUNDRY_API_KEY: "own",
  AI_SDK_LOG_WARNINGS: "false",
});

const messages = [{ role: "user", content: "hello" }];
const said = (model) => ({ model, messages });
const key = { apiKey: "own" };
/** `{ [name]: address }` if the address is hard-coded. */
const at = (name, address) => (way === "code" ? { [name]: address } : {});
const chat = (client, id) => client.chat.completions.create(said(id));

const OPENAI = "https://api.openai.com/v1";
const ANTHROPIC = "https://api.anthropic.com";
const GEMINI = "https://generativelanguage.googleapis.com";
const BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com";
const VERTEX = "https://us-east5-aiplatform.googleapis.com";
const FOUNDRY = "https://resource.services.ai.azure.com/anthropic";
const AZURE = "https://resource.openai.azure.com";

/** Clients that are made alike, by package: the name of the function or class, and the address. */
const AI_SDK = {
  "@ai-sdk/openai": ["createOpenAI", at("baseURL", OPENAI)],
  "@ai-sdk/anthropic": ["createAnthropic", at("baseURL", `${ANTHROPIC}/v1`)],
  "@ai-sdk/google": ["createGoogleGenerativeAI", at("baseURL", `${GEMINI}/v1beta`)],
  "@ai-sdk/mistral": ["createMistral", at("baseURL", "https://api.mistral.ai/v1")],
  "@ai-sdk/groq": ["createGroq", at("baseURL", "https://api.groq.com/openai/v1")],
  "@ai-sdk/xai": ["createXai", at("baseURL", "https://api.x.ai/v1")],
  "@ai-sdk/cohere": ["createCohere", at("baseURL", "https://api.cohere.com/v2")],
  "@ai-sdk/deepseek": ["createDeepSeek", at("baseURL", "https://api.deepseek.com")],
  "@ai-sdk/amazon-bedrock": ["createAmazonBedrock", at("baseURL", BEDROCK)],
  "@ai-sdk/azure": ["createAzure", { resourceName: "resource" }],
  "@ai-sdk/togetherai": ["createTogetherAI", at("baseURL", "https://api.together.xyz/v1")],
  "@openrouter/ai-sdk-provider": ["createOpenRouter", at("baseURL", "https://openrouter.ai/api/v1")],
};
const LANGCHAIN = {
  "@langchain/openai": ["ChatOpenAI", way === "code" ? { configuration: { baseURL: OPENAI } } : {}],
  "@langchain/anthropic": ["ChatAnthropic", at("anthropicApiUrl", ANTHROPIC)],
  "@langchain/google-genai": ["ChatGoogleGenerativeAI", at("baseUrl", GEMINI)],
  "@langchain/mistralai": ["ChatMistralAI", at("serverURL", "https://api.mistral.ai")],
  "@langchain/groq": ["ChatGroq", at("baseUrl", "https://api.groq.com")],
  "@langchain/ollama": ["ChatOllama", at("baseUrl", "http://127.0.0.1:11434")],
  "@langchain/cohere": ["ChatCohere", {}],
  "@langchain/aws": [
    "ChatBedrockConverse",
    { region: "us-east-1", credentials: { accessKeyId: "AKIDOWN", secretAccessKey: "own" } },
  ],
};
const aiSdk =
  (module, [name, options]) =>
  async (id) => {
    const { generateText } = await import("ai");
    const model = (await import(module))[name]({ ...key, ...options })(id);
    return generateText({ model, prompt: "hello", maxRetries: 0 });
  };
const langchain =
  (module, [name, options]) =>
  async (id) =>
    new (await import(module))[name]({ model: id, maxRetries: 0, ...key, ...options }).invoke("hello");
const madeBy = (make, clients) =>
  Object.fromEntries(Object.entries(clients).map(([module, client]) => [module, make(module, client)]));

/** By package: how it asks. */
const CLIENTS = {
  openai: async (id) => {
    const { OpenAI } = await import("openai");
    return chat(new OpenAI({ ...key, maxRetries: 0, ...at("baseURL", OPENAI) }), id);
  },
  "openai (AzureOpenAI)": async (id) => {
    const { AzureOpenAI } = await import("openai");
    const place = way === "variable" ? {} : { endpoint: AZURE };
    return chat(new AzureOpenAI({ ...key, apiVersion: "2024-10-21", maxRetries: 0, ...place }), id);
  },
  "@anthropic-ai/sdk": async (id) => {
    const { Anthropic } = await import("@anthropic-ai/sdk");
    const client = new Anthropic({ ...key, maxRetries: 0, ...at("baseURL", ANTHROPIC) });
    return client.messages.create({ max_tokens: 9, ...said(id) });
  },
  "@anthropic-ai/bedrock-sdk": async (id) => {
    const { AnthropicBedrock } = await import("@anthropic-ai/bedrock-sdk");
    const client = new AnthropicBedrock({ maxRetries: 0, ...at("baseURL", BEDROCK) });
    return client.messages.create({ max_tokens: 9, ...said(id) });
  },
  "@anthropic-ai/vertex-sdk": async (id) => {
    const { AnthropicVertex } = await import("@anthropic-ai/vertex-sdk");
    const googleAuth = {
      getClient: async () => ({ getRequestHeaders: async () => new Headers(), projectId: "p" }),
    };
    const options = { projectId: "p", region: "us-east5", googleAuth, maxRetries: 0 };
    return new AnthropicVertex({ ...options, ...at("baseURL", `${VERTEX}/v1`) }).messages.create({
      max_tokens: 9,
      ...said(id),
    });
  },
  "@anthropic-ai/foundry-sdk": async (id) => {
    const { AnthropicFoundry } = await import("@anthropic-ai/foundry-sdk");
    const place = { variable: {}, default: { resource: "resource" }, code: { baseURL: FOUNDRY } }[way];
    return new AnthropicFoundry({ ...key, maxRetries: 0, ...place }).messages.create({
      max_tokens: 9,
      ...said(id),
    });
  },
  "@google/genai": async (id) => {
    const { GoogleGenAI } = await import("@google/genai");
    const client = new GoogleGenAI({ ...key, ...(way === "code" && { httpOptions: { baseUrl: GEMINI } }) });
    return client.models.generateContent({ model: id, contents: "hello" });
  },
  "@google/generative-ai": async (id) => {
    const { GoogleGenerativeAI } = await import("@google/generative-ai");
    return new GoogleGenerativeAI("own")
      .getGenerativeModel({ model: id }, at("baseUrl", GEMINI))
      .generateContent("hi");
  },
  ollama: async (id) => {
    const { Ollama } = await import("ollama");
    return new Ollama(at("host", "http://127.0.0.1:11434")).chat(said(id));
  },
  "groq-sdk": async (id) => {
    const { Groq } = await import("groq-sdk");
    return chat(new Groq({ ...key, maxRetries: 0, ...at("baseURL", "https://api.groq.com") }), id);
  },
  "together-ai": async (id) => {
    const { Together } = await import("together-ai");
    return chat(new Together({ ...key, maxRetries: 0, ...at("baseURL", "https://api.together.xyz/v1") }), id);
  },
  "@mistralai/mistralai": async (id) => {
    const { Mistral } = await import("@mistralai/mistralai");
    return new Mistral({ ...key, ...at("serverURL", "https://api.mistral.ai") }).chat.complete(said(id));
  },
  "cohere-ai": async (id) => {
    const { CohereClientV2 } = await import("cohere-ai");
    return new CohereClientV2({ token: "own", ...at("environment", "https://api.cohere.com") }).chat(
      said(id),
      {
        maxRetries: 0,
      },
    );
  },
  "@huggingface/inference": async (id) => {
    const { InferenceClient } = await import("@huggingface/inference");
    return new InferenceClient("own", { endpointUrl: "https://router.huggingface.co/v1" }).chatCompletion(
      said(id),
    );
  },
  replicate: async (id) => {
    const { default: Replicate } = await import("replicate");
    const client = new Replicate({ auth: "own", ...at("baseUrl", "https://api.replicate.com/v1") });
    return client.predictions.create({ model: `owner/${id}`, input: { prompt: "hello" } });
  },
  "@aws-sdk/client-bedrock-runtime": async (id) => {
    const { BedrockRuntimeClient, ConverseCommand } = await import("@aws-sdk/client-bedrock-runtime");
    const client = new BedrockRuntimeClient({ maxAttempts: 1, ...at("endpoint", BEDROCK) });
    const content = [{ text: "hello" }];
    return client.send(new ConverseCommand({ modelId: id, messages: [{ role: "user", content }] }));
  },
  "@openrouter/sdk": async (id) => {
    const { OpenRouter } = await import("@openrouter/sdk");
    const client = new OpenRouter({ ...key, ...at("serverURL", "https://openrouter.ai/api/v1") });
    return client.chat.send({ chatRequest: said(id), ...said(id) });
  },
  "@azure-rest/ai-inference": async (id) => {
    const { default: createClient } = await import("@azure-rest/ai-inference");
    const { AzureKeyCredential } = await import("@azure/core-auth");
    const client = createClient(
      `${AZURE}/openai/deployments/${encodeURIComponent(id)}`,
      new AzureKeyCredential("own"),
      {
        retryOptions: { maxRetries: 0 },
      },
    );
    return client.path("/chat/completions").post({ body: said(id) });
  },
  ...madeBy(aiSdk, AI_SDK),
  ...madeBy(langchain, LANGCHAIN),
  "@llamaindex/openai": async (id) => {
    const { OpenAI } = await import("@llamaindex/openai");
    const client = new OpenAI({ ...key, model: id, maxRetries: 0, ...at("baseURL", OPENAI) });
    return client.chat({ messages });
  },
};

const PATIENCE_MS = 60_000;

/** Returns a model name that no client changes in a path. */
const idOf = (name) =>
  `js.${name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ".")
    .replace(/^\.|\.$/g, "")}.end`;

const names = Object.keys(CLIENTS).filter((name) => only.length === 0 || only.includes(name));
for (const name of names) {
  const late = new Promise((done) => setTimeout(done, PATIENCE_MS, "took too long").unref());
  const error = await Promise.race([
    (async () => CLIENTS[name](idOf(name)))().then(
      () => undefined,
      (thrown) => `${thrown?.message ?? thrown} ${thrown?.cause?.message ?? ""}`,
    ),
    late,
  ]);
  console.log(
    JSON.stringify({ client: name, id: idOf(name), error: error?.replace(/\s+/g, " ").slice(0, 300) }),
  );
}
process.exit(0);
