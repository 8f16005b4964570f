import { PROVIDERS } from "../../protocol/providers.ts";
import { isLoopback } from "../../protocol/upstream-address.ts";

/** A call's provider, and its path and query there. */
export interface Located {
  readonly provider: string;
  readonly path: string;
}

/**
 * Further hosts of the built-in providers: regions, resources, older names.
 * Sources, all 2026-11: docs.aws.amazon.com/general/latest/gr/bedrock.html, learn.microsoft.com/azure/ai-services,
 * cloud.google.com/vertex-ai/docs/general/locations, help.aliyun.com/model-studio, docs.together.ai, docs.cohere.com.
 */
const HOSTS: readonly (readonly [host: RegExp, provider: string])[] = [
  [/^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/, "bedrock"],
  [/^[a-z0-9-]+\.(?:openai\.azure\.com|cognitiveservices\.azure\.com|services\.ai\.azure\.com)$/, "azure"],
  [/^[a-z0-9-]+-aiplatform\.googleapis\.com$/, "vertex"],
  [/^dashscope-(?:intl|us|finance)\.aliyuncs\.com$/, "dashscope"],
  [/^api\.together\.xyz$/, "together"],
  [/^api\.cohere\.ai$/, "cohere"],
  [/^ollama\.com$/, "ollama"],
];

/**
 * Finds the provider of an address: first by the longest matching address of the user, then by the built-in ones. The
 * path is not normalized. Returns undefined for an unknown address.
 */
export function locate(address: string, own: Readonly<Record<string, string>>): Located | undefined {
  const [, origin = "", rest = ""] = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(address) ?? [];
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  const found = Object.entries(own)
    .flatMap(([provider, upstream]) => pathUnder(url.origin, rest, { provider, upstream }) ?? [])
    .sort((a, b) => a.path.length - b.path.length);
  if (found[0] !== undefined) return found[0];
  const provider = builtIn(url);
  return provider === undefined ? undefined : { provider, path: withSlash(rest) };
}

interface ProviderAddress {
  readonly provider: string;
  readonly upstream: string;
}

function pathUnder(
  origin: string,
  rest: string,
  { provider, upstream }: ProviderAddress,
): Located | undefined {
  if (!URL.canParse(upstream)) return undefined;
  const url = new URL(upstream);
  const base = url.pathname.replace(/\/+$/, "");
  const isUnder = url.origin === origin && (rest === base || /^[/?]/.test(rest.slice(base.length)));
  return isUnder && rest.startsWith(base)
    ? { provider, path: withSlash(rest.slice(base.length)) }
    : undefined;
}

function builtIn(url: URL): string | undefined {
  const known = PROVIDERS.find(
    ({ upstream }) => upstream !== undefined && new URL(upstream).host === url.host,
  );
  if (known !== undefined) return known.name;
  if (isLoopback(url.hostname) && url.port === "11434") return "ollama";
  return HOSTS.find(([host]) => host.test(url.hostname))?.[1];
}

const withSlash = (path: string): string => (path.startsWith("/") ? path : `/${path}`);
