import { expect, it } from "vitest";
import { locate } from "../../../../src/core/formats/import/locate.ts";

it.each([
  ["https://api.openai.com/v1/chat/completions", "openai", "/v1/chat/completions"],
  ["https://api.openai.com:443/v1/models?limit=2#top", "openai", "/v1/models?limit=2"],
  ["HTTPS://API.ANTHROPIC.COM/v1/messages?beta=true", "anthropic", "/v1/messages?beta=true"],
  [
    "https://bedrock-runtime.eu-west-1.amazonaws.com/model/a%3A0/converse",
    "bedrock",
    "/model/a%3A0/converse",
  ],
  ["https://bedrock-runtime.<AWS_REGION>.amazonaws.com/model/a/converse", "bedrock", "/model/a/converse"],
  ["https://<ACCOUNT>.openai.azure.com/v1/<ID>", "azure", "/v1/<ID>"],
  ["https://mine.openai.azure.com/openai/v1/responses", "azure", "/openai/v1/responses"],
  ["https://europe-west4-aiplatform.googleapis.com/v1/x:predict", "vertex", "/v1/x:predict"],
  ["http://localhost:11434/api/chat", "ollama", "/api/chat"],
  ["https://gateway.corp.example/openai/v1/models", "openai", "/v1/models"],
  ["https://gateway.corp.example/other", "corp", "/other"],
])("%s is a call of %s", (address, provider, path) => {
  const own = { openai: "https://gateway.corp.example/openai", corp: "https://gateway.corp.example" };

  expect(locate(address, own)).toEqual({ provider, path });
});

it.each([
  "https://api.openai.com.evil.example/v1/models",
  "https://evil.example/?x=https://api.openai.com/v1",
  "https://api.openai.com@evil.example/v1",
  "https://gateway.corp.example/openai-two/v1",
  "http://localhost:8000/v1/models",
  "wss://api.openai.com/v1/realtime",
  "/v1/models",
  "<API_BASE>/v1/models",
  "",
])("%j belongs to no provider", (address) => {
  expect(locate(address, { openai: "https://gateway.corp.example/openai" })).toBeUndefined();
});
