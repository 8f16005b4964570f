import type { WireHeaders } from "../call/call.ts";

/**
 * Response headers that clients read, by provider; `*` matches any ending. Cookies and account names
 * (`openai-organization`) are never kept. Sources, 2026-11: openai-node and openai-python (`x-request-id`,
 * `retry-after-ms`, `openai-poll-after-ms`, `x-should-retry`), the Model Context Protocol (`mcp-session-id`), RFC 9110 (validators and ranges), the
 * Anthropic SDKs (`request-id`, `anthropic-ratelimit-*`), js-genai `_uploader.ts` (`x-goog-upload-*`), botocore
 * (`x-amzn-requestid`, `x-amzn-errortype`), Azure's API reference (`apim-request-id`, `operation-location`).
 */
const EVERYWHERE = [
  "x-request-id",
  "request-id",
  "retry-after",
  "retry-after-ms",
  "openai-poll-after-ms",
  "x-should-retry",
  "location",
  "etag",
  "last-modified",
  "content-range",
  "mcp-session-id",
];
const OPENAI = ["openai-processing-ms", "openai-version", "x-ratelimit-*"];
const AMAZON = ["x-amzn-requestid", "x-amzn-errortype", "x-amzn-bedrock-*"];
const GOOGLE = ["x-goog-upload-*"];
const AZURE = ["apim-request-id", "x-ms-request-id", "operation-location"];
const BY_PROVIDER: Readonly<Record<string, readonly string[]>> = {
  anthropic: ["anthropic-ratelimit-*"],
  azure: [...OPENAI, ...AZURE],
  bedrock: AMAZON,
  foundry: [...AZURE, "anthropic-ratelimit-*"],
  gemini: GOOGLE,
  vertex: GOOGLE,
};

/** Headers whose value is a URL for a follow-up request. */
const ADDRESSES: ReadonlySet<string> = new Set(["location", "operation-location", "x-goog-upload-url"]);

/**
 * Selects the headers of a reply to record, with each name once. URLs of the provider are stored as paths.
 * @param dropped names that the project omits; `*` at the end matches any ending
 */
export function listKeptHeaders(
  { name, upstream }: { readonly name: string; readonly upstream?: string },
  headers: WireHeaders,
  dropped: readonly string[] = [],
): WireHeaders {
  const allowed = [...EVERYWHERE, ...(BY_PROVIDER[name] ?? OPENAI)];
  const kept = new Map<string, string>();
  for (const [header, value] of headers) {
    if (!allowed.some((one) => matches(one, header)) || dropped.some((one) => matches(one, header))) continue;
    const before = kept.get(header);
    const stored = ADDRESSES.has(header) ? below(value, upstream) : value;
    kept.set(header, before === undefined ? stored : `${before}, ${stored}`);
  }
  return [...kept];
}

/** Returns recorded headers for a client: paths below the provider's address become URLs below `base`. */
export function rewriteHeaderAddresses(
  base: string | undefined,
  headers: WireHeaders,
  upstream?: string,
): WireHeaders {
  if (base === undefined || !headers.some(([name]) => isAddress(name))) return headers;
  return headers.map(([name, value]) => {
    const path = isAddress(name) ? below(value, upstream) : value;
    return [name, isAddress(name) && /^\/(?!\/)/.test(path) ? `${base}${path}` : value];
  });
}

/** Headers that ask clients to wait for the provider. */
const WAITS = /^(?:retry-after(?:-ms)?|openai-poll-after-ms)$/;

/** Returns recorded headers without the waits that they ask for, because a replay has nothing to wait for. */
export function withoutWaits(headers: WireHeaders): WireHeaders {
  if (!headers.some(([name]) => WAITS.test(name))) return headers;
  return headers.map(([name, value]) => [name, WAITS.test(name) ? "0" : value]);
}

/** Whether a header's value is a URL, which differs for each client. */
export const isAddress = (name: string): boolean => ADDRESSES.has(name);

function matches(pattern: string, header: string): boolean {
  return pattern.endsWith("*") ? header.startsWith(pattern.slice(0, -1)) : header === pattern;
}

/** Returns the path of a URL below the provider's address; any other URL unchanged. */
function below(address: string, upstream: string | undefined): string {
  if (upstream === undefined || !address.startsWith(upstream)) return address;
  const path = address.slice(upstream.length);
  return path.startsWith("/") ? path : address;
}
