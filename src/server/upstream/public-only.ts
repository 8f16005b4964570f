import { localize } from "../../core/base/localize.ts";
import { lookup as systemLookup, type LookupAddress, type LookupOptions } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Networks of one's own. Sources: RFC 1918, 3927, 4193, 4291, 5735 (0/8, 127/8), 6598 (100.64/10). */
const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of [
  ["::", 127],
  ["fc00::", 7],
  ["fe80::", 10],
] as const)
  PRIVATE.addSubnet(network, prefix, "ipv6");

/** Whether an address belongs to a network of one's own; one that maps an IPv4 address is read as that. */
export function isPrivate(address: string): boolean {
  return PRIVATE.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}

/**
 * Looks up a name and fails if one of its addresses is private. A provider on the internet has only public addresses, so
 * the user's key would be sent to another server that answers for its name.
 */
export const lookUpPublic: LookupFunction = (hostname, options: LookupOptions, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, addresses: readonly LookupAddress[]) => {
    if (error) return callback(error, "");
    const found = addresses.find(({ address }) => isPrivate(address));
    const [first] = addresses;
    if (found !== undefined || first === undefined) return callback(privateAddress(hostname, found), "");
    if (options.all === true) return callback(null, [...addresses]);
    return callback(null, first.address, first.family);
  });
};

function privateAddress(hostname: string, found: LookupAddress | undefined): Error {
  return new Error(
    found === undefined
      ? localize("{0} has no address", hostname)
      : localize(
          "{0} has the private address {1}; to allow it, set the upstream (--upstream or the setting tapedeck.upstreams)",
          hostname,
          found.address,
        ),
  );
}
