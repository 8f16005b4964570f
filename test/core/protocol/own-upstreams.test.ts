import { describe, expect, it } from "vitest";
import { readOwnUpstreams } from "../../../src/core/protocol/own-upstreams.ts";
import { getAddresses } from "../../../src/server/environment.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";

const one = (env: Record<string, string>) => readOwnUpstreams(env).upstreams[0];

describe("what the user's environment names as an upstream", () => {
  it.each([
    ["OPENAI_BASE_URL", "https://openrouter.ai/api/v1", "openai", "https://openrouter.ai/api", ""],
    ["OPENAI_BASE_URL", "https://openrouter.ai/api/v1/", "openai", "https://openrouter.ai/api", ""],
    ["OPENAI_BASE_URL", "https://gateway.example/llm", "openai", "https://gateway.example/llm", "/v1"],
    ["ANTHROPIC_BASE_URL", "https://gateway.example/a", "anthropic", "https://gateway.example/a", ""],
    ["AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com/", "azure", "https://mine.openai.azure.com", ""],
    ["OLLAMA_HOST", "192.168.1.7", "ollama", "http://192.168.1.7:11434", ""],
    ["OLLAMA_HOST", "0.0.0.0:5000", "ollama", "http://127.0.0.1:5000", ""],
    ["OLLAMA_HOST", ":5000", "ollama", "http://127.0.0.1:5000", ""],
    ["OLLAMA_HOST", "http://0.0.0.0:5000", "ollama", "http://127.0.0.1:5000", ""],
  ])("%s=%s", (variable, value, ...meant) => {
    const [provider, address, insteadOf] = meant;

    expect(one({ [variable]: value })).toEqual({ provider, variable, address, insteadOf });
  });

  it.each([
    ["the provider's own address", { OPENAI_BASE_URL: "https://api.openai.com/v1" }],
    ["nothing", { OPENAI_BASE_URL: "  " }],
    [
      "another Tapedeck's address",
      { TAPEDECK_URL: "http://127.0.0.1:1/T", OPENAI_BASE_URL: "http://127.0.0.1:1/T/openai/v1" },
    ],
  ])("is not %s", (_, env) => {
    expect(Object.values(readOwnUpstreams(env)).flat()).toEqual([]);
  });

  it("is replaced by a second variable of the provider, whose value is kept", () => {
    const own = readOwnUpstreams({
      MOONSHOT_BASE_URL: "https://a.example/v1",
      KIMI_BASE_URL: "https://b.example/v1",
    });
    const here = (providers = createProviders({}, own)) => getAddresses("http://127.0.0.1:1/T", providers);

    expect(own.upstreams.map(({ address }) => address)).toEqual(["https://a.example"]);
    expect(own.besides.map(({ variable, address }) => [variable, address])).toEqual([
      ["KIMI_BASE_URL", "https://b.example"],
    ]);
    expect(here()["MOONSHOT_BASE_URL"]).toBe("http://127.0.0.1:1/T/moonshot/v1");
    expect(here()).not.toHaveProperty("KIMI_BASE_URL");
    expect(here(createProviders({ moonshot: "https://c.example" }, own))).toHaveProperty("KIMI_BASE_URL");
    expect(
      readOwnUpstreams({ MOONSHOT_BASE_URL: "https://a.example/v1", KIMI_BASE_URL: "https://a.example/v1" }),
    ).toMatchObject({ upstreams: own.upstreams, besides: [] });
  });

  it("is reported when unusable, and calls to that provider are not sent", () => {
    const own = readOwnUpstreams({ OPENAI_BASE_URL: "http://gateway.example/v1" });

    expect(own.unusable[0]?.problem).toContain("OPENAI_BASE_URL");
    expect(createProviders({}, own).get("openai")?.upstream).toBeUndefined();
    expect(createProviders({ openai: "https://b.example" }, own).get("openai")?.upstream).toBe(
      "https://b.example",
    );
  });
});
