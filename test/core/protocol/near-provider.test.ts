import { expect, it } from "vitest";
import { nearProviderText } from "../../../src/core/protocol/near-provider.ts";
import { PROVIDERS } from "../../../src/core/protocol/providers.ts";

it.each([
  ["google", "gemini"],
  ["gemni", "gemini"],
  ["antropic", "anthropic"],
  ["opneai", "openai"],
  ["openaai", "openai"],
  ["mistrel", "mistral"],
  ["azure-openai", "azure"],
])("a provider called %s may be meant for %s", (name, near) => {
  expect(nearProviderText(name)).toBe(
    `"${name}" is no built-in provider: its calls are plain HTTP. If you mean ${near}, call it that.`,
  );
});

it.each([
  ...PROVIDERS.map(({ name }) => name),
  "search",
  "my-gateway",
  "tavily",
  "posthog",
  "groqs",
  "cohort",
])("%s is no slip", (name) => {
  expect(nearProviderText(name)).toBeUndefined();
});
