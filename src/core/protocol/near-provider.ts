import { PROVIDERS } from "./providers.ts";

/** What people call a provider that has another name here. */
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

/** Why a name may be a mistake: it becomes a provider of plain HTTP, and a built-in one is near. Else undefined. */
export function nearProviderText(name: string): string | undefined {
  const names = PROVIDERS.map((provider) => provider.name);
  if (names.includes(name)) return undefined;
  const near = CALLED.get(name) ?? names.find((one) => one.length > SHORT && isOneSlipApart(one, name));
  if (near === undefined) return undefined;
  return `"${name}" is no built-in provider: its calls are plain HTTP. If you mean ${near}, call it that.`;
}

/** In characters: of shorter names many are one slip apart. */
const SHORT = 4;

/** Whether one letter more, less, or another, or two that changed places, make one of the other. */
function isOneSlipApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  let at = 0;
  while (at < short.length && short[at] === long[at]) at += 1;
  const [rest, restOfLong] = [short.slice(at), long.slice(at)];
  if (short.length < long.length) return rest === restOfLong.slice(1);
  const swapped = `${rest[1] ?? ""}${rest[0] ?? ""}${rest.slice(2)}`;
  return rest.slice(1) === restOfLong.slice(1) || swapped === restOfLong;
}
