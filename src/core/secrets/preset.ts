import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { Scan, Secret } from "./scanner.ts";

/**
 * The rules of secretlint's recommended preset, each run by itself. Its own engine is left out: that one waits, logs,
 * keeps what it measured, and obeys comments in the text, which here is anybody's.
 */
export const scanPreset: Scan = (text) => {
  const found: Secret[] = [];
  for (const { kind, rule } of RULES) {
    const report = ({ message, range }: Report): void => {
      const value = valueOf(message, text.slice(...range));
      if (value !== "") found.push({ kind, value });
    };
    const context = {
      createTranslator: () => (_: string, values: Values) => values,
      report,
      ignore: () => {},
    };
    // A rule about files of a certain name finds none here; the others answer at once.
    void rule
      .create(context, {})
      .file?.({ content: text, contentType: "text", ext: "", filePath: "recording" });
  }
  return found;
};

/** What a rule says of a finding: the secret, by the name under which its message has it. */
type Values = Readonly<Record<string, unknown>>;

interface Report {
  /** What the translator of ours gave back. */
  readonly message: Values;
  readonly range: readonly [start: number, end: number];
}

/** As much of a rule as is used (@secretlint/types, SecretLintRuleCreator). */
interface PresetRule {
  readonly meta: { readonly id: string };
  create(context: unknown, options: unknown): { file?(source: { readonly [name: string]: string }): unknown };
}

/** By rule; one that is not here is called by its own name. */
const KINDS: Readonly<Record<string, string>> = {
  "1password": "1Password token",
  anthropic: "Anthropic key",
  aws: "AWS secret key",
  basicauth: "password in a URL",
  cloudflare: "Cloudflare token",
  "database-connection-string": "database password",
  databricks: "Databricks token",
  docker: "Docker token",
  figma: "Figma token",
  gcp: "Google key",
  github: "GitHub token",
  gitlab: "GitLab token",
  grafana: "Grafana token",
  groq: "Groq key",
  "hashicorp-vault": "Vault token",
  huggingface: "Hugging Face token",
  linear: "Linear key",
  notion: "Notion token",
  npm: "npm token",
  openai: "OpenAI key",
  privatekey: "private key",
  sendgrid: "SendGrid key",
  shopify: "Shopify token",
  slack: "Slack token",
  stripe: "Stripe key",
  tailscale: "Tailscale key",
  vercel: "Vercel token",
};

/** This one finds nothing: it lets a text switch the others off. */
const COMMENTS = "filter-comments";

const RULES = (rules as readonly unknown[] as readonly PresetRule[])
  .map((rule) => ({ rule, name: rule.meta.id.replace(/^.*secretlint-rule-/, "") }))
  .filter(({ name }) => name !== COMMENTS)
  .map(({ rule, name }) => ({ rule, kind: KINDS[name] ?? `${name} secret` }));

/** The message names the secret exactly, which the range does not always; a rule may take in too much behind it. */
function valueOf(message: Values, ranged: string): string {
  const values = Object.values(message ?? {}).filter((value) => typeof value === "string");
  const value = values.length === 1 ? (values[0] ?? ranged) : ranged;
  if (value.startsWith("-----BEGIN")) return value;
  const host = /^[a-z][a-z+:]*:\/\//i.test(value) ? value.indexOf("@") + 1 : 0;
  const end = value.slice(host).search(/["'`\\<>{}|^\s,;)\]]/);
  return end < 0 ? value : value.slice(0, host + end);
}
