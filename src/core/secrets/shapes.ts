import type { Scan, Secret } from "./scanner.ts";

/**
 * Shapes that the scanner's own rules lack, or hold more narrowly than keys of today are. As the issuers document
 * them, or as gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml) and GitHub's list of supported patterns
 * have them; chosen narrow, so that a hit is worth stopping for. A group is the secret among what tells it.
 */
const SHAPES: readonly (readonly [kind: string, shape: RegExp])[] = [
  ["Anthropic key", /sk-ant-[a-z]+\d*-[\w-]{20,}/g],
  ["OpenRouter key", /sk-or-v1-[0-9a-f]{32,}/g],
  ["OpenAI key", /sk-(?:proj|svcacct|admin|None)-[\w-]{20,}|\bsk-[A-Za-z0-9]{32,}/g],
  ["Google key", /\bAIza[\w-]{35}/g],
  ["Google OAuth secret", /\bGOCSPX-[\w-]{28}/g],
  ["Groq key", /\bgsk_[A-Za-z0-9]{32,}/g],
  ["xAI key", /\bxai-[A-Za-z0-9]{40,}/g],
  ["Perplexity key", /\bpplx-[A-Za-z0-9]{40,}/g],
  ["Fireworks key", /\bfw_[A-Za-z0-9]{24,}/g],
  ["Cerebras key", /\bcsk-[a-z0-9]{40,}/g],
  ["LangSmith key", /\blsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}/g],
  ["Pinecone key", /\bpcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,}/g],
  ["Tavily key", /\btvly-(?:dev-|prod-)?[A-Za-z0-9]{30,}/g],
  ["Hugging Face token", /\bhf_[A-Za-z0-9]{30,}/g],
  ["Replicate token", /\br8_[A-Za-z0-9]{30,}/g],
  ["AWS access key", /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  [
    "AWS secret key",
    /secret_?access_?key["'\\]{0,3}\s{0,8}(?::|=>|=)\s{0,8}["'\\]{0,3}([A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])/gi,
  ],
  ["Bedrock key", /\bABSK[A-Za-z0-9+/]{100,}={0,2}/g],
  ["GitHub token", /\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{40,}/g],
  ["Slack token", /\bxox[abprs]-[A-Za-z0-9-]{20,}/g],
  ["Slack webhook", /https:\/\/hooks\.slack\.com\/services\/T\w{8,}\/B\w{8,}\/\w{20,}/g],
  ["Stripe key", /\b[rs]k_live_[A-Za-z0-9]{20,}/g],
  ["bearer token", /\bBearer\s+eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/g],
];

/** In documentation everywhere. */
const EXAMPLE = /EXAMPLE$/;

export const scanShapes: Scan = (text) => [
  ...privateKeys(text),
  ...SHAPES.flatMap(([kind, shape]) =>
    [...text.matchAll(shape)]
      .map(([match, value = match]) => ({ kind, value }))
      .filter(({ value }) => !EXAMPLE.test(value)),
  ),
];

const KEY_BEGINS = /-----BEGIN (?:[A-Z]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_ENDS = /-----END (?:[A-Z]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
const LONGEST_KEY = 16_384;

/** A key with its end, where there is one before another key begins; else its first line, which says enough. */
function privateKeys(text: string): readonly Secret[] {
  return [...text.matchAll(KEY_BEGINS)].map(({ 0: begins, index }) => {
    const next = text.indexOf("-----", index + begins.length);
    KEY_ENDS.lastIndex = next;
    const ends = next < 0 || next - index > LONGEST_KEY ? undefined : KEY_ENDS.exec(text)?.[0];
    const end = ends === undefined ? index + begins.length : next + ends.length;
    return { kind: "private key", value: text.slice(index, end) };
  });
}
