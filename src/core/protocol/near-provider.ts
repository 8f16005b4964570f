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

/** Returns a warning if a name is close to that of a built-in provider, or is its host: the address would not apply to it. */
export function suggestProvider(name: string): string | undefined {
  const names = PROVIDERS.map((provider) => provider.name);
  if (names.includes(name)) return undefined;
  const atHost = PROVIDERS.find(({ upstream }) => upstream !== undefined && new URL(upstream).host === name);
  const near =
    CALLED.get(name) ?? atHost?.name ?? names.find((one) => one.length > SHORT && isOneSlipApart(one, name));
  if (near === undefined) return undefined;
  return localize(
    '"{0}" is not a built-in provider, so its address does not apply to calls to {1}. If you mean {1}, use that name.',
    name,
    near,
  );
}

/** Maximum length of names that are not compared, because many short names differ in one character. */
const SHORT = 4;
