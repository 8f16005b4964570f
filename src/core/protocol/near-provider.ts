import { localize } from "../base/localize.ts";
import { isOneSlipApart } from "../base/near-name.ts";
import { MODEL_API_HOSTS, MODEL_HOSTS } from "./model-hosts.ts";
import { PROVIDERS } from "./providers.ts";

/** Other common names of providers. */
const CALLED: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["claude"],
  azure: ["azure-openai", "azureopenai"],
  bedrock: ["aws", "amazon"],
  dashscope: ["qwen", "alibaba"],
  gemini: ["google", "google-genai", "google-ai"],
  huggingface: ["hf", "hugging-face"],
  mistral: ["mistralai"],
  moonshot: ["kimi"],
  openai: ["chatgpt"],
  together: ["togetherai", "together-ai"],
  vertex: ["vertexai", "vertex-ai"],
  xai: ["grok", "x-ai"],
};

/**
 * Returns a warning if a name is close to that of a built-in provider, or is its host, or names the company of a known
 * host: the address would not apply to its calls.
 */
export function suggestProvider(name: string): string | undefined {
  const names = PROVIDERS.map((provider) => provider.name);
  if (names.includes(name)) return undefined;
  const atHost = PROVIDERS.find(({ upstream }) => upstream !== undefined && new URL(upstream).host === name);
  const near =
    names.find((one) => CALLED[one]?.includes(name)) ??
    atHost?.name ??
    names.find((one) => one.length > SHORT && isOneSlipApart(one, name)) ??
    COMPANY_HOSTS.find((host) => [name, `${name}ai`].includes(host.split(".").at(1) ?? ""));
  if (near === undefined) return undefined;
  return localize(
    '"{0}" is not a built-in provider, so its address does not apply to calls to {1}. If you mean {1}, use that name.',
    name,
    near,
  );
}

/** Hosts of companies. Calls to them have the host as the name of their provider. */
const COMPANY_HOSTS = [...MODEL_HOSTS, ...MODEL_API_HOSTS].filter((host) => /^api\.[\w-]+\.\w+$/.test(host));

/** Maximum length of names that are not compared, because many short names differ in one character. */
const SHORT = 4;
