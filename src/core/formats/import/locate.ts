import { findRoute } from "../../protocol/origin.ts";
import { createProviders, type ProviderTable } from "../../protocol/registry.ts";

/** A call's provider, and its path and query there. */
export interface ProviderPath {
  readonly provider: string;
  readonly path: string;
}

/**
 * Finds the provider of an address: first by the longest matching address of the user, then by the built-in ones. The
 * path is not normalized. Returns undefined for an unknown address.
 */
export function locate(address: string, own: Readonly<Record<string, string>>): ProviderPath | undefined {
  const [, origin = "", rest = ""] = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(withPlainHost(address)) ?? [];
  if (!URL.canParse(origin)) return undefined;
  const url = new URL(origin);
  const found = Object.entries(own)
    .flatMap(([provider, upstream]) => pathUnder(url.origin, rest, { provider, upstream }) ?? [])
    .sort((a, b) => a.path.length - b.path.length);
  if (found[0] !== undefined) return found[0];
  const port = Number(url.port || (url.protocol === "http:" ? 80 : 443));
  const path = withSlash(rest);
  const route = findRoute({ host: url.hostname, port }, path, (builtIn ??= createProviders()));
  return route && { provider: route.provider, path };
}

/** Returns an address whose host has a word in place of each `<NAME>`, by which Ruby's VCR hides a region or an account. */
export const withPlainHost = (address: string): string =>
  address.replace(/^https?:\/\/[^/?#]*/i, (origin) =>
    origin.replace(/<([\w-]+)>/g, "$1").replaceAll("_", "-"),
  );

interface ProviderAddress {
  readonly provider: string;
  readonly upstream: string;
}

function pathUnder(
  origin: string,
  rest: string,
  { provider, upstream }: ProviderAddress,
): ProviderPath | undefined {
  if (!URL.canParse(upstream)) return undefined;
  const url = new URL(upstream);
  const base = url.pathname.replace(/\/+$/, "");
  const isUnder = url.origin === origin && (rest === base || /^[/?]/.test(rest.slice(base.length)));
  return isUnder && rest.startsWith(base)
    ? { provider, path: withSlash(rest.slice(base.length)) }
    : undefined;
}

let builtIn: ProviderTable | undefined;

const withSlash = (path: string): string => (path.startsWith("/") ? path : `/${path}`);
