import { expect, it } from "vitest";
import { createTapedeckError } from "../../../src/core/base/errors.ts";
import { createProviders } from "../../../src/core/protocol/registry.ts";

const providers = createProviders({ own: "https://llm.example" });
const miss = createTapedeckError("tapedeck_miss", "No recording for this call.", { hint: "Record it." });
const message = "No recording for this call. Record it.";

const openai = { error: { message, type: "tapedeck_miss", param: null, code: "tapedeck_miss" } };

it.each([
  ["openai", openai],
  ["azure", openai],
  ["own", openai],
  ["huggingface", openai],
  [
    "mistral",
    { ...openai, object: "error", message, type: "tapedeck_miss", param: null, code: "tapedeck_miss" },
  ],
  [
    "openrouter",
    { error: { message, code: 404, type: "tapedeck_miss", metadata: { tapedeck: "tapedeck_miss" } } },
  ],
  ["anthropic", { type: "error", error: { type: "tapedeck_miss", message } }],
  ["gemini", { error: { code: 404, message, status: "tapedeck_miss" } }],
  ["ollama", { error: message, code: "tapedeck_miss" }],
  ["bedrock", { __type: "tapedeck_miss", message }],
  ["cohere", { message, code: "tapedeck_miss" }],
  ["dashscope", { code: "tapedeck_miss", message, request_id: "tapedeck", ...openai }],
])("a miss of %s has the provider's own error shape", (provider, expected) => {
  const reply = providers.get(provider)?.dialect.refuse(miss);

  expect(reply?.status).toBe(404);
  expect(reply?.headers).toEqual([["content-type", "application/json"]]);
  expect(JSON.parse(Buffer.from(reply?.body as Uint8Array).toString())).toEqual(expected);
});

it.each(["bedrock", "cohere", "api.example.com"])(
  "clients of %s do not retry a failure of ours",
  (provider) => {
    const unreachable = createTapedeckError("tapedeck_upstream", "Not reached.", { hint: "Try again." });

    expect(providers.get(provider)?.dialect.refuse(unreachable).status).toBe(424);
  },
);
