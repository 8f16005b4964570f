import type { WireHeaders } from "../call/call.ts";

/**
 * Headers of replies that clients read, by provider; `*` stands for any ending. Never cookies, nor who pays
 * (`openai-organization`). Sources, 2026-11: openai-node and openai-python (`x-request-id`, `retry-after-ms`,
 * `x-should-retry`), RFC 9110 (what comes back as `if-none-match` and `if-modified-since`, and with a part), the
 * Anthropic SDKs (`request-id`, `anthropic-ratelimit-*`), js-genai `_uploader.ts` (`x-goog-upload-*`), botocore
 * (`x-amzn-requestid`, `x-amzn-errortype`), Azure's API reference (`apim-request-id`, `operation-location`).
 */
const EVERYWHERE = [
  "x-request-id",
  "request-id",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
  "location",
  "etag",
  "last-modified",
  "content-range",
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

/** Of those, what holds an address to go on with. */
const ADDRESSES: ReadonlySet<string> = new Set(["location", "operation-location", "x-goog-upload-url"]);

/**
 * What is kept of a reply's headers, each name once. Addresses of the provider are kept as paths below its own.
 * `dropped`: names that the project wants left out, `*` at their end for any.
 */
export function keptHeaders(
  { name, upstream }: { readonly name: string; readonly upstream?: string },
  headers: WireHeaders,
  dropped: readonly string[] = [],
): WireHeaders {
  const wanted = [...EVERYWHERE, ...(BY_PROVIDER[name] ?? OPENAI)];
  const kept = new Map<string, string>();
  for (const [header, value] of headers) {
    if (!wanted.some((one) => names(one, header)) || dropped.some((one) => names(one, header))) continue;
    const before = kept.get(header);
    const said = ADDRESSES.has(header) ? below(value, upstream) : value;
    kept.set(header, before === undefined ? said : `${before}, ${said}`);
  }
  return [...kept];
}

/** Headers of a reply as they go to a client: a path below the provider's address is one below `base`. */
export function addressedTo(base: string | undefined, headers: WireHeaders, upstream?: string): WireHeaders {
  if (base === undefined || !headers.some(([name]) => isAddress(name))) return headers;
  return headers.map(([name, value]) => {
    const path = isAddress(name) ? below(value, upstream) : value;
    return [name, isAddress(name) && /^\/(?!\/)/.test(path) ? `${base}${path}` : value];
  });
}

/** Whether a header's value is another one for each client. */
export const isAddress = (name: string): boolean => ADDRESSES.has(name);

function names(pattern: string, header: string): boolean {
  return pattern.endsWith("*") ? header.startsWith(pattern.slice(0, -1)) : header === pattern;
}

/** The path of an address below the provider's; any other address as it is. */
function below(address: string, upstream: string | undefined): string {
  if (upstream === undefined || !address.startsWith(upstream)) return address;
  const path = address.slice(upstream.length);
  return path.startsWith("/") ? path : address;
}
