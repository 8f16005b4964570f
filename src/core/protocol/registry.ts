import { getDialect, getHttpProtocol, type DialectName } from "./dialects.ts";
import type { WireHeaders } from "../call/call.ts";
import type { Protocol, Provider, ProviderFacts } from "./base/protocol.ts";
import { isHostName } from "./model-call.ts";
import type { OwnUpstreams } from "./own-upstreams.ts";
import { PROVIDERS } from "./providers.ts";
import { isProviderName, parseProviderName, parseUpstreamAddress } from "./upstream-address.ts";

/** The providers of a deck and their operations. */
export interface ProviderTable {
  get(name: string): Provider | undefined;
  /** Built-in providers first, then those of the user. */
  readonly names: readonly string[];
  /** Finds the operation of a call; plain HTTP if it is unknown. Returns undefined for an unknown provider. */
  protocolFor(call: ProtocolQuery): { readonly provider: Provider; readonly protocol: Protocol } | undefined;
}

/** The parts of a call that determine its operation. */
interface ProtocolQuery {
  readonly provider: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Absent for a recorded call, whose operation is known. */
  readonly headers?: WireHeaders;
  readonly operation?: string;
}

/**
 * Makes the table of the built-in providers. `overrides` (addresses by name) replace their addresses; those of the
 * user's environment (`own`) come second. An unknown name in `overrides`, or in `recorded` (without an address), becomes
 * a provider of plain HTTP. `hosts` are those that the project records. A host name is always a provider, for model calls to unknown hosts.
 * @throws TapedeckError `tapedeck_usage` for an invalid name or address
 */
export function createProviders(
  overrides: Readonly<Record<string, string>> = {},
  own?: OwnUpstreams,
  recorded: readonly string[] = [],
  hosts: readonly string[] = [],
): ProviderTable {
  const described = new Map<string, ProviderDescription>(PROVIDERS.map((known) => [known.name, known]));
  if (own !== undefined) setOwnUpstreams(described, own);
  for (const name of recorded) {
    if (!described.has(name) && isProviderName(name)) described.set(name, plainProvider(name));
  }
  for (const host of hosts) described.set(host, { ...plainProvider(host), hosts: [host] });
  for (const [given, address] of Object.entries(overrides)) {
    const name = parseProviderName(given);
    const known = described.get(name) ?? plainProvider(name);
    const { insteadOf: _, besides: others = [], ...rest } = known;
    const beside = [...(known.isUsersOwn === true ? [known] : []), ...others];
    described.set(name, {
      ...rest,
      upstream: parseUpstreamAddress(name, address),
      isUsersOwn: true,
      isNamed: true,
      ...(beside.length > 0 && { besides: beside }),
    });
  }

  const providers = new Map([...described].map(([name, provider]) => [name, withDialect(provider)]));
  const get = (name: string): Provider | undefined =>
    providers.get(name) ?? (isHostName(name) ? withDialect(plainProvider(name)) : undefined);
  return {
    get,
    names: [...providers.keys()],
    protocolFor(call) {
      const { method, path } = call;
      const provider = get(call.provider);
      if (provider === undefined) return undefined;
      const query = path.indexOf("?");
      const pathname = query < 0 ? path : path.slice(0, query);
      const protocol =
        provider.dialect.operations.find((one) => one.accepts(method, pathname) && isMeant(one, call)) ??
        getHttpProtocol();
      return { provider, protocol };
    },
  };
}

function setOwnUpstreams(
  providers: Map<string, ProviderDescription>,
  { upstreams, besides, unusable }: OwnUpstreams,
): void {
  const change = (name: string, changed: (known: ProviderDescription) => ProviderDescription): void => {
    const known = providers.get(name);
    if (known !== undefined) providers.set(name, changed(known));
  };
  for (const { provider, address: upstream, insteadOf } of upstreams)
    change(provider, (known) => ({ ...known, upstream, isUsersOwn: true, ...(insteadOf && { insteadOf }) }));
  for (const { provider, variable, address: upstream, insteadOf } of besides) {
    const beside = { variable, upstream, ...(insteadOf && { insteadOf }) };
    change(provider, (known) => ({ ...known, besides: [...(known.besides ?? []), beside] }));
  }
  for (const { provider } of unusable)
    change(provider, (known) => {
      const { upstream: _, ...rest } = known;
      return { ...rest, isUsersOwn: true };
    });
}

/** Whether an operation is the recorded one, or the one that the headers select, if two share a path. */
function isMeant(one: Protocol, call: Pick<ProtocolQuery, "headers" | "operation">): boolean {
  if (one.chosenBy === undefined) return true;
  return call.operation === undefined ? one.chosenBy(call.headers ?? []) : one.operation === call.operation;
}

function plainProvider(name: string): ProviderDescription {
  return { name, dialect: isHostName(name) ? "host" : "http", variables: [], keyVariables: [] };
}

/** A provider with its dialect by name. */
type ProviderDescription = ProviderFacts & { readonly dialect: DialectName | "host" };

/** The dialects are much code. They are read only when a call needs one. */
function withDialect({ dialect, ...facts }: ProviderDescription): Provider {
  return {
    ...facts,
    get dialect() {
      return getDialect(dialect);
    },
  };
}
