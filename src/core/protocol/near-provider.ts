import { localize } from "../base/localize.ts";
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

/** Whether two names differ by one inserted, removed, or replaced character, or by one swap. */
function isOneSlipApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const [rest, restOfLong] = [short.slice(at), long.slice(at)];
  if (short.length < long.length) return rest === restOfLong.slice(1);
  const swapped = `${rest[1] ?? ""}${rest[0] ?? ""}${rest.slice(2)}`;
  return rest.slice(1) === restOfLong.slice(1) || swapped === restOfLong;
}
