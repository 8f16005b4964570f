import { seeded, type Random } from "./seeded.ts";

const DIGITS = "0123456789";
const LOWER = "abcdefghijklmnopqrstuvwxyz";
const LETTERS = LOWER + LOWER.toUpperCase();
const WORD = LETTERS + DIGITS;

/** Made-up keys and passwords of the kinds that are looked for, the same for the same seed. */
export function madeUpSecrets(random: Random = seeded(7)): Readonly<Record<string, string>> {
  const some = (length: number, alphabet = WORD): string =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join("");
  const pem = Array.from({ length: 6 }, () => some(64, `${WORD}+/`)).join("\n");
  return {
    "Anthropic key": `sk-ant-api03-${some(93, `${WORD}-_`)}AA`,
    "OpenAI key": `sk-proj-${some(74)}T3BlbkFJ${some(74)}`,
    "OpenRouter key": `sk-or-v1-${some(64, "0123456789abcdef")}`,
    "Google key": `AIza${some(35)}`,
    "Groq key": `gsk_${some(52)}`,
    "xAI key": `xai-${some(80)}`,
    "Hugging Face token": `hf_${some(34, LETTERS)}`,
    "AWS access key": `AKIA${some(16, `${LOWER.toUpperCase()}234567`)}`,
    "AWS secret key": some(40, `${WORD}+/`),
    "GitHub token": `ghp_${some(36)}`,
    "GitLab token": `glpat-${some(20)}`,
    "Slack token": `xoxb-${some(12, DIGITS)}-${some(13, DIGITS)}-${some(24)}`,
    "Stripe key": `sk_live_${some(24)}`,
    "npm token": `npm_${some(36)}`,
    "SendGrid key": `SG.${some(22)}.${some(43)}`,
    "Vault token": `hvs.${some(95)}`,
    "Databricks token": `dapi${some(32, "0123456789abcdef")}`,
    "database password": `postgres://app:${some(20)}@db.internal.net:5432/orders`,
    "password in a URL": `https://deploy:${some(20)}@git.internal.net`,
    "private key": `-----BEGIN RSA PRIVATE KEY-----\nMII${some(61)}\n${pem}\n-----END RSA PRIVATE KEY-----`,
  };
}

/** Returns a secret with the prefix that some kinds need to be recognized. */
export function secretInContext(kind: string, secret: string): string {
  return kind === "AWS secret key" ? `aws_secret_access_key = ${secret}` : secret;
}
