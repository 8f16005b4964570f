import { getHostProviderName, isHostName, MODEL_REQUESTS } from "./model-call.ts";
import { MODEL_HOSTS } from "./model-hosts.ts";
import type { Provider } from "./base/protocol.ts";
import { PROVIDERS } from "./providers.ts";
import type { ProviderTable } from "./registry.ts";
import { isLoopback } from "./upstream-address.ts";
import { pickDefined } from "../base/pick-defined.ts";

/** The target of a client's connection. `host`: a name or an address in lowercase, IPv6 in brackets. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Parses the target of a CONNECT, `host:port`; returns undefined for any other text. */
export function readDestination(text: string): Destination | undefined {
  const [, host, port] = /^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\]):(\d{1,5})$/i.exec(text) ?? [];
  return host === undefined ? undefined : { host: host.toLowerCase(), port: Number(port) };
}

/** A request to a provider's own address, translated to the call that its base-URL variable would give. */
export interface ProviderRoute {
  readonly provider: string;
  /** Path and query that follow the provider's name in Tapedeck's address. */
  readonly path: string;
  /** As `Call.origin`. */
  readonly origin?: string;
}

/** Hosts of known providers, each `host` or `host:port`; "*" as in `Provider.hosts`. */
export interface GuardedHosts {
  /** Over TLS. */
  readonly hosts: readonly string[];
  /** Without TLS. */
  readonly plain: readonly string[];
  /** Pattern of the methods and paths of model calls at any other host. */
  readonly calls: string;
}

export function listGuardedHosts(providers: ProviderTable): GuardedHosts {
  const known = placesOf(providers);
  const names = (isPlain: boolean): readonly string[] => [
    ...new Set(known.filter((place) => place.isPlain === isPlain).map(hostAndPort)),
  ];
  return { hosts: [...names(false), ...MODEL_HOSTS], plain: names(true), calls: MODEL_REQUESTS };
}

export function isGuarded(destination: Destination, providers: ProviderTable): boolean {
  return placesOf(providers).some((place) => isAt(place, destination)) || isModelHost(destination);
}

const isModelHost = (destination: Destination): boolean => isAmongHosts(MODEL_HOSTS, destination);

/** Whether a destination is among hosts, each `host` or `host:port`; "*" as in `Provider.hosts`. */
export function isAmongHosts(hosts: readonly string[], destination: Destination): boolean {
  return hosts.some((text) => {
    const [, host = text, port] = /^(.+):(\d+)$/.exec(text) ?? [];
    return isAt({ host, ...(port !== undefined && { port: Number(port) }) }, destination);
  });
}

/**
 * Finds the provider of a request over a redirected connection; undefined if no provider is known at the
 * destination. The user's own addresses come first, then the address whose operations include the path, then
 * the longest path. The call is forwarded to the destination that its client chose, unless the user
 * configured a gateway in the provider's place.
 */
export function findRoute(
  destination: Destination,
  path: string,
  providers: ProviderTable,
): ProviderRoute | undefined {
  const matching = placesOf(providers)
    .filter((place) => isAt(place, destination))
    .sort((one, other) => other.path.length - one.path.length);
  const below = matching.filter((place) => isBelow(path, place.path));
  const own = below.filter(({ isOwn }) => isOwn);
  const place = own.find((one) => hasOperationAt(one, path)) ?? own[0] ?? below[0] ?? matching[0];
  if (place === undefined)
    return isModelHost(destination) ? routeByHost(destination, path, destination.port === 80) : undefined;
  const { name: provider, insteadOf = "" } = place.provider;
  if (place.isOwn && below.includes(place)) {
    const route = { provider, path: insteadOf + path.slice(place.path.length) };
    const { beside } = place;
    return beside === undefined || place.provider.isNamed === true ? route : { ...route, origin: beside };
  }
  if (isBehindGateway(place.provider)) return { provider, path };
  return { provider, path, origin: originOf(place, destination) };
}

/** Names the provider of a model call after its host, if the host belongs to no known provider. */
export function routeByHost(destination: Destination, path: string, isPlain: boolean): ProviderRoute {
  const provider = getHostProviderName(destination, isPlain);
  return { provider, path, origin: originOf({ isPlain }, destination) };
}

/** Whether a provider has an operation at a path. It decides between providers that share the address of a gateway. */
function hasOperationAt({ provider, path: prefix }: Place, path: string): boolean {
  const [pathname = ""] = ((provider.insteadOf ?? "") + path.slice(prefix.length)).split("?");
  return provider.dialect.operations.some((operation) => operation.accepts("POST", pathname));
}

/** Returns the provider of a call that is forwarded to the address that its client chose. */
export function createProviderAt(origin: string, provider: Provider): Provider {
  const { insteadOf: _, isUsersOwn, upstream = "", ...rest } = provider;
  const beside = provider.besides?.find((one) => one.upstream === origin);
  if (beside !== undefined) return { ...rest, ...beside, isUsersOwn: true };
  if (isHostName(rest.name))
    return { ...rest, upstream: provider.isNamed === true ? upstream : origin, isUsersOwn: true };
  const isOwn = isUsersOwn === true && URL.canParse(upstream) && new URL(upstream).origin === origin;
  return { ...rest, upstream: origin, ...(isOwn && { isUsersOwn }) };
}

interface Place {
  readonly provider: Provider;
  /** Can contain "*". */
  readonly host: string;
  /** Absent for any port. */
  readonly port?: number;
  /** "" for any path. */
  readonly path: string;
  readonly isPlain: boolean;
  /** Whether the user set this address. */
  readonly isOwn: boolean;
  /** The whole address, if the user set it in addition to the provider's upstream. */
  readonly beside?: string;
}

const placesByTable = new WeakMap<ProviderTable, readonly Place[]>();

function placesOf(providers: ProviderTable): readonly Place[] {
  const known = placesByTable.get(providers);
  if (known !== undefined) return known;
  const places = providers.names.flatMap((name) => {
    const provider = providers.get(name);
    if (provider === undefined) return [];
    const own = provider.isUsersOwn === true ? placeAt(provider, provider.upstream, true) : [];
    return [...own, ...placesBesides(provider), ...publicPlaces(provider)];
  });
  placesByTable.set(providers, places);
  return places;
}

function placesBesides(provider: Provider): readonly Place[] {
  return (provider.besides ?? []).flatMap(({ upstream, insteadOf = "" }) =>
    placeAt({ ...provider, insteadOf }, upstream, true).map((place) => ({
      ...place,
      ...pickDefined({ beside: upstream }),
    })),
  );
}

function publicPlaces(provider: Provider): readonly Place[] {
  const builtIn = PROVIDERS.find(({ name }) => name === provider.name);
  const hosts = ((builtIn ?? provider).hosts ?? []).map((text) => {
    const [host = "", ...path] = text.split("/");
    return { provider, host, path: path.map((part) => `/${part}`).join(""), isPlain: false, isOwn: false };
  });
  return [...placeAt(provider, builtIn?.upstream, false), ...hosts];
}

function placeAt(provider: Provider, address: string | undefined, isOwn: boolean): readonly Place[] {
  if (address === undefined) return [];
  const { protocol, hostname, port, pathname } = new URL(address);
  const isPlain = protocol === "http:";
  const path = pathname === "/" ? "" : pathname;
  // Other ports of a user's host can belong to other services.
  const at = isOwn || isPlain ? { port: Number(port || (isPlain ? 80 : 443)) } : {};
  const hosts = isLoopback(hostname) ? [...new Set([hostname, ...LOOPBACK])] : [hostname];
  return hosts.map((host) => ({ provider, host, path, isPlain, isOwn, ...at }));
}

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

const hostAndPort = ({ host, port }: Place): string => (port === undefined ? host : `${host}:${port}`);

function isAt(place: Pick<Place, "host" | "port">, { host, port }: Destination): boolean {
  if (place.port !== undefined && place.port !== port) return false;
  return place.host.includes("*") ? patternOf(place.host).test(host) : place.host === host;
}

const patterns = new Map<string, RegExp>();

function patternOf(host: string): RegExp {
  const known = patterns.get(host);
  if (known !== undefined) return known;
  const parts = host.split("*").map((part) => part.replaceAll(".", "\\."));
  const pattern = new RegExp(`^${parts.join("[a-z0-9-]+")}$`);
  patterns.set(host, pattern);
  return pattern;
}

function isBelow(path: string, prefix: string): boolean {
  if (prefix === "") return true;
  return (
    path.startsWith(prefix) && (path.length === prefix.length || "/?".includes(path.charAt(prefix.length)))
  );
}

/** Whether the user's upstream is a gateway that replaces all addresses of the provider. */
function isBehindGateway(provider: Provider): boolean {
  const { isNamed, upstream } = provider;
  if (isNamed !== true || upstream === undefined) return false;
  const { hostname, port } = new URL(upstream);
  const destination = { host: hostname, port: Number(port || 443) };
  return !publicPlaces(provider).some((place) => isAt(place, destination));
}

/** Returns the origin of a call. Providers with TLS are called over TLS even if the client used `http:`. */
function originOf({ isPlain }: Pick<Place, "isPlain">, { host, port }: Destination): string {
  const usual = isPlain || port === 80 ? 80 : 443;
  return `${isPlain ? "http" : "https"}://${host}${port === usual ? "" : `:${port}`}`;
}
