import { localize } from "../base/localize.ts";
import { createWrongUsage, type TapedeckError } from "../base/errors.ts";

/**
 * Validates an upstream: https, or http to this machine or a private network. Returns it without a trailing slash.
 * @throws TapedeckError `tapedeck_usage` with the reason; it does not repeat an address that contains a password
 */
export function parseUpstreamAddress(provider: string, address: string): string {
  if (!URL.canParse(address)) throw unusable(provider, localize('"{0}" is not a web address', address));
  const url = new URL(address);
  if (url.username !== "" || url.password !== "")
    throw unusable(provider, localize("it contains a user name or a password"));
  if (address.includes("?")) throw unusable(provider, localize("it contains a query"));
  if (address.includes("#")) throw unusable(provider, localize("it contains a fragment"));
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw unusable(provider, localize("{0}// is not a web address's scheme", url.protocol));
  if (url.protocol === "http:" && !isLoopback(url.hostname) && !isOwnNetwork(url.hostname))
    throw unusable(
      provider,
      localize("http://{0} is not encrypted and not on this machine or a private address", url.host),
    );
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** Whether a host name from the URL parser, which normalizes 127.0.0.0/8 to four numbers, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Whether calls to an upstream leave this machine. Calls to this machine count as free. */
export function leavesMachine(upstream: string | undefined): boolean {
  return upstream !== undefined && !isLoopback(new URL(upstream).hostname);
}

/**
 * Whether a host name is a private address, or ends like a private name. Other names would need a DNS lookup.
 * Sources: RFC 1918, 4193, 6598 (100.64/10), 6762 (.local), 8375 (.home.arpa), ICANN 2024 (.internal).
 */
export function isOwnNetwork(hostname: string): boolean {
  return (
    /^(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.[\d.]+$/.test(
      hostname,
    ) ||
    /^\[f[cd][0-9a-f]{2}:/.test(hostname) ||
    /\.(?:local|internal|home\.arpa)$/.test(hostname)
  );
}

/**
 * Validates a provider name, which has to work in URLs and as a folder on all systems.
 * @throws TapedeckError `tapedeck_usage` if it is invalid
 */
export function parseProviderName(name: string): string {
  if (isProviderName(name)) return name;
  throw createWrongUsage(
    localize('"{0}" cannot be the name of a provider.', name),
    localize(
      'Use up to 64 lowercase letters, digits, ".", "_", and "-", without a dot at the end, and no name that Windows reserves for a device.',
    ),
  );
}

export function isProviderName(name: string): boolean {
  return /^[a-z0-9._-]{1,64}$/.test(name) && !name.endsWith(".") && !RESERVED.test(name);
}

/** Source: learn.microsoft.com/windows/win32/fileio/naming-a-file, 2026-11. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

function unusable(provider: string, reason: string): TapedeckError {
  return createWrongUsage(
    localize("The address for {0} cannot be used: {1}.", provider, reason),
    localize(
      "Use one that starts with https://, or with http:// and a loopback or private address, e.g. {0}=http://127.0.0.1:8080.",
      provider,
    ),
  );
}
