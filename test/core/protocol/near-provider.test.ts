import { expect, it } from "vitest";
import { suggestProvider } from "../../../src/core/protocol/near-provider.ts";
import { PROVIDERS } from "../../../src/core/protocol/providers.ts";

it.each([
  ["google", "gemini"],
  ["gemni", "gemini"],
  ["antropic", "anthropic"],
  ["opneai", "openai"],
  ["openaai", "openai"],
  ["mistrel", "mistral"],
  ["azure-openai", "azure"],
  ["api.openai.com", "openai"],
  ["voyage", "api.voyageai.com"],
  ["elevenlabs", "api.elevenlabs.io"],
])("a provider called %s may be meant for %s", (name, near) => {
  expect(suggestProvider(name)).toBe(
    `"${name}" is not a built-in provider, so its address does not apply to calls to ${near}. If you mean ${near}, use that name.`,
  );
});

it.each([
  ...PROVIDERS.map(({ name }) => name),
  ..."search my-gateway tavily posthog groqs cohort llm.example.com".split(" "),
])("%s is no slip", (name) => {
  expect(suggestProvider(name)).toBeUndefined();
});
