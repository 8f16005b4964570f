import { credentialOfAnother, type TapedeckError } from "../../base/errors.ts";
import type { Call } from "../../call/call.ts";
import { PROVIDERS } from "../../protocol/providers.ts";

/** Keys that say whose they are by how they begin. A company's own products share them. */
const SHAPES: readonly (readonly [shape: RegExp, owner: string, of: readonly string[]])[] = [
  [/^sk-ant-/, "Anthropic", ["anthropic"]],
  [/^sk-or-/, "OpenRouter", ["openrouter"]],
  [/^sk-(?:proj|svcacct|admin)-/, "OpenAI", ["openai"]],
  [/^gsk_/, "Groq", ["groq"]],
  [/^xai-/, "xAI", ["xai"]],
  [/^AIza[\w-]{35}/, "Google", ["gemini", "vertex"]],
  [/^hf_/, "Hugging Face", ["huggingface"]],
  [/^tgp_v1_/, "Together", ["together"]],
  [/^r8_/, "Replicate", ["replicate"]],
  [/^nvapi-/, "NVIDIA", []],
  [/^pplx-/, "Perplexity", []],
  [/^fw_/, "Fireworks", []],
  [/^csk-/, "Cerebras", []],
];

/** Headers in which one company's clients send keys, and which others never read. */
const HEADERS: Readonly<Record<string, { readonly owner: string; readonly of: readonly string[] }>> = {
  "api-key": { owner: "Azure", of: ["azure", "mistral"] },
  "x-goog-api-key": { owner: "Google", of: ["gemini", "vertex"] },
  "x-api-key": { owner: "Anthropic", of: ["anthropic"] },
};

const QUERY_KEY = /[?&](?:key|api[_-]?key)=([^&#]+)/i;

/**
 * Why a call must not be sent to an address: it carries a key that is another company's. Only addresses that belong to
 * a provider known here are judged; a gateway that its user named may take whatever key it likes.
 */
export function credentialOfOther(
  { path, headers }: Pick<Call, "path" | "headers">,
  address: string,
): TapedeckError | undefined {
  const addressee = companyAt(address);
  if (addressee === undefined) return undefined;
  const refused = (owner: string, place: string): TapedeckError =>
    credentialOfAnother({ owner, place, addressee, address });
  const query = QUERY_KEY.exec(path)?.[1];
  const places = [...headers, ...(query === undefined ? [] : [["the query", query] as const])];
  for (const [name, value] of places) {
    const key = value.replace(/^(?:bearer|key|token)\s+/i, "");
    const shape = SHAPES.find(([looks]) => looks.test(key));
    if (shape !== undefined && !shape[2].includes(addressee)) return refused(shape[1], name);
    const own = HEADERS[name];
    if (addressee === "openai" && own !== undefined) return refused(own.owner, name);
    if (addressee === "anthropic" && own !== undefined && !own.of.includes(addressee))
      return refused(own.owner, name);
  }
  return undefined;
}

/** The provider whose own address it is; undefined for this machine, gateways and whatever else is named. */
function companyAt(address: string): string | undefined {
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  return PROVIDERS.find(
    ({ upstream }) => upstream?.startsWith("https:") === true && hostOf(upstream) === host,
  )?.name;
}

function hostOf(address: string): string {
  return new URL(address).hostname;
}
