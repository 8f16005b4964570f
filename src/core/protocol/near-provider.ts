import { localize } from "../base/localize.ts";
import { isOneSlipApart } from "../base/near-name.ts";
import { PROVIDERS } from "./providers.ts";

/** Common names of providers that have another name here. */
const CALLED = new Map([
  ["google", "gemini"],
  ["google-genai", "gemini"],
  ["google-ai", "gemini"],
  ["vertexai", "vertex"],
  ["vertex-ai", "vertex"],
  ["claude", "anthropic"],
  ["chatgpt", "openai"],
  ["azure-openai", "azure"],
  ["azureopenai", "azure"],
  ["aws", "bedrock"],
  ["amazon", "bedrock"],
  ["grok", "xai"],
  ["x-ai", "xai"],
  ["qwen", "dashscope"],
  ["alibaba", "dashscope"],
  ["kimi", "moonshot"],
  ["mistralai", "mistral"],
  ["togetherai", "together"],
  ["together-ai", "together"],
  ["hf", "huggingface"],
  ["hugging-face", "huggingface"],
]);

/** Returns a warning if a provider's name is close to a built-in one, because its calls would be plain HTTP. */
export function suggestProvider(name: string): string | undefined {
  const names = PROVIDERS.map((provider) => provider.name);
  if (names.includes(name)) return undefined;
  const near = CALLED.get(name) ?? names.find((one) => one.length > SHORT && isOneSlipApart(one, name));
  if (near === undefined) return undefined;
  return localize(
    '"{0}" is not a built-in provider, so its calls are treated as plain HTTP. If you mean {1}, use that name.',
    name,
    near,
  );
}

/** Maximum length of names that are not compared, because many short names differ in one character. */
const SHORT = 4;
