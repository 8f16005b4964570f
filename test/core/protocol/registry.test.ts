import { describe, expect, it, test } from "vitest";
import { explain, isTapedeckError } from "../../../src/core/base/errors.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";

const providers = createProviders();

function faultOf(overrides: Record<string, string>): string {
  try {
    createProviders(overrides);
    return "accepted";
  } catch (error) {
    return isTapedeckError(error) ? `${error.code}: ${explain(error)}` : `a bug: ${String(error)}`;
  }
}

describe("the built-in providers", () => {
  it("point clients here by the variables that these read", () => {
    const variables = providers.names.flatMap((name) =>
      (providers.get(name)?.variables ?? []).map((variable) => `${variable.name} ${name}${variable.path}`),
    );

    expect(variables).toEqual([
      "OPENAI_BASE_URL openai/v1",
      "ANTHROPIC_BASE_URL anthropic",
      "GOOGLE_GEMINI_BASE_URL gemini",
      "GOOGLE_VERTEX_BASE_URL vertex",
      "ANTHROPIC_VERTEX_BASE_URL vertex/v1",
      "OLLAMA_HOST ollama",
      "AZURE_OPENAI_ENDPOINT azure",
      "AWS_ENDPOINT_URL_BEDROCK_RUNTIME bedrock",
      "ANTHROPIC_BEDROCK_BASE_URL bedrock",
      "ANTHROPIC_FOUNDRY_BASE_URL foundry/anthropic",
      "CO_API_URL cohere",
      "DASHSCOPE_HTTP_BASE_URL dashscope/api/v1",
      "DASHSCOPE_COMPATIBLE_BASE_URL dashscope/compatible-mode/v1",
      "OPENROUTER_BASE_URL openrouter/api/v1",
      "GROQ_BASE_URL groq",
      "TOGETHER_BASE_URL together/v1",
      "MOONSHOT_BASE_URL moonshot/v1",
      "KIMI_BASE_URL moonshot/v1",
      "REPLICATE_BASE_URL replicate",
    ]);
  });

  it("have usable names and addresses of their own, but for Azure, Bedrock and Foundry", () => {
    const addresses = Object.fromEntries(
      providers.names.flatMap((name) => {
        const upstream = providers.get(name)?.upstream;
        return upstream === undefined ? [] : [[name, upstream] as const];
      }),
    );
    const again = createProviders(addresses);

    expect(providers.names.filter((name) => !(name in addresses))).toEqual(["azure", "bedrock", "foundry"]);
    expect(again.names.map((name) => again.get(name))).toEqual(
      providers.names.map((name) => ({
        ...providers.get(name),
        ...(name in addresses && { isUsersOwn: true, isNamed: true }),
      })),
    );
  });

  it.each([
    ["openai", "POST", "/v1/chat/completions", "chat.completions"],
    ["openai", "POST", "/v1/chat/completions?debug=1", "chat.completions"],
    ["openai", "POST", "/v1/embeddings", "embeddings"],
    ["openai", "GET", "/v1/models?next=/chat/completions", "models.list"],
    ["anthropic", "POST", "/v1/messages?beta=true", "messages"],
    ["anthropic", "POST", "/messages", "messages"],
    ["foundry", "POST", "/anthropic/v1/messages", "messages"],
    ["moonshot", "POST", "/v1/chat/completions", "chat.completions"],
    ["replicate", "POST", "/v1/models/a/b/predictions", "http"],
    ["anthropic", "POST", "/v1/messages/count_tokens", "messages.count_tokens"],
    ["anthropic", "POST", "/v1/chat/completions", "http"],
    ["groq", "POST", "/openai/v1/chat/completions", "chat.completions"],
    ["openai", "POST", "/v1/realtime/calls", "http"],
    ["azure", "POST", "/openai/deployments/m/embeddings?api-version=1", "embeddings"],
    ["groq", "POST", "/openai/v1/audio/transcriptions", "audio.transcriptions"],
    ["mistral", "POST", "/v1/embeddings", "embeddings"],
    ["mistral", "POST", "/v1/conversations", "conversations"],
    ["xai", "POST", "/v1/responses", "responses"],
    ["together", "GET", "/v1/models", "models.list"],
    ["huggingface", "POST", "/together/v1/chat/completions", "chat.completions"],
    ["ollama", "POST", "/api/chat", "chat"],
    ["ollama", "POST", "/api/embeddings", "embeddings"],
    ["ollama", "POST", "/v1/chat/completions", "chat.completions"],
    ["gemini", "POST", "/v1beta/models/gemini-2.5-flash:generateContent?key=1", "generateContent"],
    [
      "gemini",
      "POST",
      "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
      "streamGenerateContent",
    ],
    ["gemini", "GET", "/v1beta/models/gemini-2.5-flash:generateContent", "http"],
    ["gemini", "POST", "/v1beta/tunedModels/mine:generateContent", "generateContent"],
    ["gemini", "POST", "/v1beta/openai/chat/completions", "chat.completions"],
    ["vertex", "POST", "/v1/projects/p/locations/l/publishers/google/models/g:countTokens", "countTokens"],
    ["vertex", "POST", "/v1/projects/p/locations/l/endpoints/7:generateContent", "generateContent"],
    ["vertex", "POST", "/v1/projects/p/locations/l/publishers/anthropic/models/c:rawPredict", "http"],
    ["bedrock", "POST", "/model/us.amazon.nova-micro-v1%3A0/converse", "converse"],
    ["bedrock", "POST", "/model/m/converse-stream", "converse-stream"],
    ["bedrock", "POST", "/model/arn%3Aaws%3Abedrock%3A%3A%3Ap%2Fq/invoke", "invoke"],
    ["bedrock", "POST", "/model/m/invoke-with-response-stream", "invoke-with-response-stream"],
    ["bedrock", "GET", "/model/m/converse", "http"],
    ["cohere", "POST", "/v2/chat", "chat"],
    ["cohere", "POST", "/compatibility/v1/chat/completions", "chat.completions"],
    ["dashscope", "POST", "/api/v1/services/aigc/text-generation/generation", "text-generation"],
  ])("%s %s %s is %s", (provider, method, path, operation) => {
    expect(providers.protocolFor({ provider, method, path })?.protocol.operation).toBe(operation);
  });

  it("do not include a name that nobody knows, nor one that every object has", () => {
    expect(providers.get("nobody")).toBeUndefined();
    expect(providers.get("constructor")).toBeUndefined();
    expect(providers.protocolFor({ provider: "nobody", method: "GET", path: "/" })).toBeUndefined();
  });
});

describe("a provider of the user's own", () => {
  it("replaces a built-in address and keeps everything else", () => {
    const { variables, dialect, upstream } = createProviders({ openai: "http://localhost:4000/proxy/" }).get(
      "openai",
    )!;

    expect(upstream).toBe("http://localhost:4000/proxy");
    expect({ variables, dialect }).toEqual({
      variables: providers.get("openai")?.variables,
      dialect: providers.get("openai")?.dialect,
    });
  });

  it("is plain HTTP under a name that is not built in", () => {
    const own = createProviders({ "my-llm.v2": "https://llm.example/api" });

    const found = own.protocolFor({ provider: "my-llm.v2", method: "POST", path: "/v1/chat/completions" });

    expect(own.names.at(-1)).toBe("my-llm.v2");
    expect(found?.protocol.operation).toBe("http");
    expect(found?.provider.upstream).toBe("https://llm.example/api");
  });

  it.each([
    ["https://api.example.com", "https://api.example.com"],
    ["https://api.example.com:8443//", "https://api.example.com:8443"],
    ["http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/v1"],
    ["http://127.1:8080", "http://127.0.0.1:8080"],
    ["http://[::1]:8080", "http://[::1]:8080"],
    ["http://LOCALHOST:8080", "http://localhost:8080"],
    ["http://192.168.1.20:8000/v1", "http://192.168.1.20:8000/v1"],
    ["http://10.0.0.1", "http://10.0.0.1"],
    ["http://172.20.0.3:8000", "http://172.20.0.3:8000"],
    ["http://[fd12::1]:8000", "http://[fd12::1]:8000"],
    ["http://gpu.local:8000", "http://gpu.local:8000"],
  ])("may be at %s", (address, upstream) => {
    expect(createProviders({ own: address }).get("own")?.upstream).toBe(upstream);
  });

  it.each([
    ["", '"" is not a web address'],
    ["api.example.com", "is not a web address"],
    ["localhost:8080", "localhost:// is not a web address's scheme"],
    ["file:///etc/passwd", "file:// is not a web address's scheme"],
    ["http://api.example.com", "http://api.example.com is not encrypted and not on this machine"],
    ["http://127.0.0.1.example.com", "not on this machine"],
    ["http://localhost.example.com", "not on this machine"],
    ["http://0.0.0.0:1", "not on this machine"],
    ["http://11.0.0.1", "not on this machine"],
    ["http://172.32.0.1", "not on this machine"],
    ["http://10.0.0.1.example.com", "not on this machine"],
    ["https://api.example.com/?key=1", "it contains a query"],
    ["https://api.example.com/?", "it contains a query"],
    ["https://api.example.com/#a", "it contains a fragment"],
  ])("may not be at %j", (address, reason) => {
    const fault = faultOf({ own: address });

    expect(fault).toContain("tapedeck_usage: The address given for own cannot be used");
    expect(fault).toContain(reason);
    expect(fault).toContain("Give one that begins with https://");
  });

  it("is refused with a password in its address, without repeating it", () => {
    const fault = faultOf({ own: "https://me:s3cret@api.example.com" });

    expect(fault).toContain("it contains a user name or a password");
    expect(fault).not.toContain("s3cret");
  });

  it.each([
    "",
    ".",
    "..",
    "a/b",
    "Own",
    "a b",
    "a%2e",
    "ünı",
    "con",
    "nul.txt",
    "com1",
    "end.",
    "x".repeat(65),
  ])("may not be called %j", (name) => {
    const fault = faultOf({ [name]: "https://api.example.com" });

    expect(fault).toContain(`tapedeck_usage: "${name}" cannot be the name of a provider.`);
  });
});

test("an address for a host's name changes no operation, whether or not the project has recordings of it", () => {
  const call = { provider: "api.example.com", method: "POST", path: "/v1/chat/completions" };
  const named = { "api.example.com": "https://gateway.example" };
  const tables = [
    createProviders(),
    createProviders(named),
    createProviders(named, undefined, ["api.example.com"]),
  ];

  const operations = tables.map((table) => table.protocolFor(call)?.protocol.operation);

  expect(operations).toEqual(["chat.completions", "chat.completions", "chat.completions"]);
});
