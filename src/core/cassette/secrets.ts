import { percentDecoded } from "../wire/percent.ts";

/** Query parameters that carry a credential; they are neither kept nor part of the key. */
export const CREDENTIAL_PARAMETERS: ReadonlySet<string> = new Set([
  "key",
  "api_key",
  "api-key",
  "apikey",
  "access_token",
  "token",
]);

/** The path and query without parameters that carry a credential. */
export function withoutCredentials(path: string): string {
  const [pathname, query] = splitQuery(path);
  if (query === undefined) return path;
  const kept = query.split("&").filter((pair) => !CREDENTIAL_PARAMETERS.has(nameOfParameter(pair)));
  return kept.length === 0 ? pathname : `${pathname}?${kept.join("&")}`;
}

export function splitQuery(path: string): readonly [string, string?] {
  const at = path.indexOf("?");
  return at < 0 ? [path] : [path.slice(0, at), path.slice(at + 1)];
}

export function nameOfParameter(pair: string): string {
  return percentDecoded(pair.split("=", 1)[0] ?? "").toLowerCase();
}

/** A credential found by its shape. `line` and `column` are 1-based. */
export interface FoundSecret {
  readonly kind: string;
  readonly line: number;
  readonly column: number;
}

/** Shapes of keys as their issuers document them; chosen narrow, so that a hit is worth stopping for. */
const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["Anthropic key", /sk-ant-[a-z]+\d*-[\w-]{20,}/g],
  ["OpenRouter key", /sk-or-v1-[0-9a-f]{32,}/g],
  ["OpenAI key", /sk-(?:proj|svcacct|admin|None)-[\w-]{20,}|\bsk-[A-Za-z0-9]{32,}\b/g],
  ["Google key", /\bAIza[\w-]{35}/g],
  ["Groq key", /\bgsk_[A-Za-z0-9]{32,}/g],
  ["xAI key", /\bxai-[A-Za-z0-9]{40,}/g],
  ["Hugging Face token", /\bhf_[A-Za-z0-9]{30,}/g],
  ["Replicate token", /\br8_[A-Za-z0-9]{30,}/g],
  ["AWS access key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  ["GitHub token", /\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{40,}/g],
  ["Slack token", /\bxox[abprs]-[A-Za-z0-9-]{20,}/g],
  ["Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,}/g],
  ["private key", /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g],
  ["bearer token", /\bBearer\s+eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g],
];

/** Finds keys and tokens by their shape, in the order in which they stand. Never gives back the secret itself. */
export function findSecrets(text: string): readonly FoundSecret[] {
  const found = SHAPES.flatMap(([kind, shape]) =>
    [...text.matchAll(shape)].map((match) => ({ kind, at: match.index })),
  );
  const first = new Map(found.reverse().map((secret) => [secret.at, secret]));
  return [...first.values()]
    .sort((a, b) => a.at - b.at)
    .map(({ kind, at }) => ({ kind, ...positionOf(text, at) }));
}

function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const start = before.lastIndexOf("\n") + 1;
  return { line: before.split("\n").length, column: at - start + 1 };
}
