import { rules } from "@secretlint/secretlint-rule-preset-recommend";
import type { Rule } from "./keywords.ts";
import type { Secret } from "./scanner.ts";

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
  sendgrid: "SendGrid key",
  shopify: "Shopify token",
  slack: "Slack token",
  stripe: "Stripe key",
  tailscale: "Tailscale key",
  vercel: "Vercel token",
};

/** What stands in every secret of a rule, in lower case; one that is not here is run on every text. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  "1password": ["ops_ey"],
  anthropic: ["sk-ant-"],
  aws: ["akia", "asia", "a3t", "agpa", "aida", "aroa", "aipa", "anpa", "anva", "accesskey", "access_key"],
  basicauth: ["://"],
  cloudflare: ["cfk_", "cfut_", "cfat_"],
  "database-connection-string": ["mongodb", "mysql", "postgres"],
  databricks: ["dapi"],
  docker: ["dckr_pat_"],
  figma: ["figd_"],
  gcp: ["private_key", "aiza"],
  github: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
  gitlab: ["glpat-"],
  grafana: ["glc_", "glsa_"],
  groq: ["gsk_"],
  "hashicorp-vault": ["hvs.", "hvb.", "hvr."],
  huggingface: ["hf_"],
  linear: ["lin_api_"],
  notion: ["ntn_"],
  npm: ["npm_", "_authtoken", "x-oauth-basic"],
  openai: ["sk-"],
  sendgrid: ["sg."],
  shopify: ["shppa_", "shpca_", "shpat_", "shpss_"],
  slack: ["xox", "xapp-", "hooks.slack.com"],
  stripe: ["sk_live", "sk_test", "rk_live", "rk_test"],
  tailscale: ["tskey-"],
  vercel: ["vcp_", "vci_", "vca_", "vcr_", "vck_"],
};

/** The one finds nothing, it lets a text switch the others off; of the other ours finds all and takes no longer for many. */
const LEFT_OUT = new Set(["filter-comments", "privatekey"]);

const NAMED_RULES = (rules as readonly unknown[] as readonly PresetRule[])
  .map((rule) => ({ rule, name: rule.meta.id.replace(/^.*secretlint-rule-/, "") }))
  .filter(({ name }) => !LEFT_OUT.has(name));

const RULES = NAMED_RULES.map(({ rule, name }) => ({ rule, kind: KINDS[name] ?? `${name} secret` }));

const WORDS = NAMED_RULES.flatMap(({ name }, of) => (KEYWORDS[name] ?? []).map((word) => ({ word, of })));
const ALWAYS = NAMED_RULES.flatMap(({ name }, of) => (KEYWORDS[name] === undefined ? [of] : []));

/**
 * The rules of secretlint's recommended preset, each run by itself. Its own engine is left out: that one waits, logs,
 * keeps what it measured, and obeys comments in the text, which here is anybody's.
 */
export const preset: Rule = {
  words: WORDS.map(({ word }) => word),
  look(text) {
    const due = new Set(ALWAYS);
    return {
      at: (word) => due.add(WORDS[word]?.of ?? 0),
      secrets: () => RULES.filter((_, at) => due.has(at)).flatMap((rule) => secretsBy(rule, text)),
    };
  },
};

function secretsBy({ kind, rule }: (typeof RULES)[number], text: string): readonly Secret[] {
  const found: Secret[] = [];
  const report = ({ message, range }: Report): void => {
    const value = secretValue(message, text.slice(...range));
    if (value.length >= SHORTEST) found.push({ kind, value });
  };
  const context = { createTranslator: () => (_: string, values: Values) => values, report, ignore: () => {} };
  // A rule about files of a certain name finds none here; the others answer at once.
  void rule
    .create(context, {})
    .file?.({ content: text, contentType: "text", ext: "", filePath: "recording" });
  return found;
}

/** Less is the beginning of one, as a text that speaks of it has it. */
const SHORTEST = 12;

/** The message names the secret exactly, which the range does not always; a rule may take in too much behind it. */
function secretValue(message: Values, ranged: string): string {
  const values = Object.values(message ?? {}).filter((value) => typeof value === "string");
  const value = values.length === 1 ? (values[0] ?? ranged) : ranged;
  if (value.startsWith("-----BEGIN")) return value;
  const host = /^[a-z][a-z+:]*:\/\//i.test(value) ? value.indexOf("@") + 1 : 0;
  const end = value.slice(host).search(/["'`\\<>{}|^\s,;)\]]/);
  return end < 0 ? value : value.slice(0, host + end);
}
