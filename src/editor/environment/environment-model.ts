import type { Provider } from "../../core/protocol/base/protocol.ts";
import { GUARD_OFF, GUARD_VARIABLE, isRestricted, type HookVariables } from "../../hooks/environment.ts";
import { joinList, NO_PROXY_NAMES, ownNoProxy, withLocalHosts } from "../../hooks/list-variable.ts";
import { placeholderVariables, PLACEHOLDER_KEY } from "../../core/protocol/providers.ts";

/** What is done to one variable. `append` and `prepend` keep what is there; the separator stands between two entries. */
export type VariableChange =
  | { readonly name: string; readonly how: "replace"; readonly value: string }
  | {
      readonly name: string;
      readonly how: "append" | "prepend";
      readonly value: string;
      readonly separator: string;
    };

export interface EnvironmentInput {
  /** Variables that point clients here, e.g. OPENAI_BASE_URL. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly providers: readonly Pick<Provider, "keyVariables" | "otherCredentials">[];
  /** What attribution needs: TAPEDECK_URL, TAPEDECK_ROOTS, NODE_OPTIONS, PYTHONPATH. */
  readonly hooks: HookVariables;
  /** What the user has, ours not included. */
  readonly user: Readonly<Record<string, string | undefined>>;
  /** Names that the user sets elsewhere, e.g. in `.env` files: no placeholder may hide them. */
  readonly elsewhere: ReadonlySet<string>;
  /** `path.delimiter`. */
  readonly delimiter: string;
  /** Addresses of the user's own to which calls go on, by the variable that names them. */
  readonly goingOn?: ReadonlyMap<string, string>;
  /** Providers with a gateway in place of their own address. */
  readonly gateways?: readonly ProviderGateway[];
  /** What leads programs through the proxy of the window; absent where it is off. */
  readonly proxied?: Readonly<Record<string, string>>;
  /** What else is set, and what a person should know of it. */
  readonly switches?: readonly EnvironmentSwitch[];
}

/** The gateway to which a provider's calls go, as the user named it, or from which its recordings came. */
export interface ProviderGateway {
  readonly provider: string;
  readonly named?: string | undefined;
  readonly recorded?: string | undefined;
}

/** A variable that is set as the mode says. */
export interface EnvironmentSwitch {
  readonly name: string;
  readonly value: string;
  /** One sentence. */
  readonly note?: string;
}

export interface EnvironmentPlan {
  readonly changes: readonly VariableChange[];
  /** For processes of other extensions. They share their host's variables, which reads a proxy's itself, without its authority. */
  readonly forExtensions: readonly VariableChange[];
  /** One sentence for each variable of the user's that points elsewhere while ours is set. */
  readonly notes: readonly string[];
  /** Whether processes redirect connections that a client opens to a provider itself. */
  readonly isGuarded: boolean;
}

/**
 * What processes get. Placeholder keys do not depend on the mode, so that a terminal outlives a change of it:
 * they are set only where the user has no key, and are never forwarded.
 */
export function planEnvironment(input: EnvironmentInput): EnvironmentPlan {
  const { addresses, hooks, user, elsewhere, switches = [] } = input;
  const isThere = (name: string): boolean => isSet(user[name]) || elsewhere.has(name);
  const placeholders = input.providers.flatMap((provider) => placeholderVariables(provider, isThere));
  const before: readonly VariableChange[] = [
    ...replacing(addresses),
    ...placeholders.map((name): VariableChange => ({ name, how: "replace", value: PLACEHOLDER_KEY })),
    ...hookChanges(hooks, user, input.delimiter),
  ];
  const direct = noProxyChanges(user, input.delimiter);
  const after = switches.map(({ name, value }): VariableChange => ({ name, how: "replace", value }));
  const proxied = proxyChanges(input.proxied ?? {}, input.delimiter);
  return {
    changes: [...before, ...(proxied.length > 0 ? proxied : direct), ...after],
    forExtensions: [...before, ...direct, ...after],
    notes: [
      ...Object.keys(addresses).flatMap((name) => redirection(name, user[name], input.goingOn?.get(name))),
      ...switches.flatMap(({ note }) => note ?? []),
      ...(input.gateways ?? []).flatMap(gatewayNotes),
    ],
    isGuarded: hooks.set[GUARD_VARIABLE] !== GUARD_OFF,
  };
}

/** Returns notes about calls that do not reach Tapedeck, which strict mode cannot stop either. */
export function reachNotes(
  { isGuarded, notes }: Pick<EnvironmentPlan, "isGuarded" | "notes">,
  { isShared }: { readonly isShared: boolean },
): readonly string[] {
  return [...(isGuarded ? [] : [GUARD_IS_OFF]), ...(isShared ? notes : [NOT_SHARED])];
}

const GUARD_IS_OFF =
  "The guard is off: a client with a provider's address in its code calls that provider, in strict mode as well. To turn it on, set tapedeck.guard and remove TAPEDECK_GUARD=off from your environment.";
const NOT_SHARED =
  "Calls from terminals, tasks, and debug sessions do not reach Tapedeck, because the setting tapedeck.environment.enabled is off.";

/** The environment of a process of our own: the changes made to `base`. Names that are not changed are left out. */
export function applyChanges(
  changes: readonly VariableChange[],
  base: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(changes.map((change) => [change.name, valueAfter(change, base[change.name])]));
}

/** What one variable is after a change; unchanged where the change is there already. */
export function valueAfter(change: VariableChange, before: string | undefined): string {
  if (change.how === "replace" || !isSet(before)) return change.value;
  if (NO_PROXY_NAMES.some((name) => name === change.name)) return withLocalHosts(before);
  if (change.separator !== " ") return joinList(before, change);
  return before.includes(change.value) ? before : `${before} ${change.value}`; // quotes may hold blanks: not cut
}

/** For a run that may call providers: a placeholder would stand in the way of a key that comes from elsewhere. */
export function withoutPlaceholders(changes: readonly VariableChange[]): readonly VariableChange[] {
  return changes.filter(({ value }) => value !== PLACEHOLDER_KEY);
}

function hookChanges(
  { set, nodeOption, pythonFolder }: HookVariables,
  user: EnvironmentInput["user"],
  delimiter: string,
): readonly VariableChange[] {
  return [
    ...Object.entries(set).map(([name, value]): VariableChange => ({ name, how: "replace", value })),
    ...(isRestricted((user["NODE_OPTIONS"] ?? "").split(/\s+/))
      ? []
      : [{ name: "NODE_OPTIONS", how: "append", value: nodeOption, separator: " " } as const]),
    ...(pythonFolder === undefined
      ? []
      : [{ name: "PYTHONPATH", how: "prepend", value: pythonFolder, separator: delimiter } as const]),
  ];
}

function replacing(variables: Readonly<Record<string, string>>): readonly VariableChange[] {
  return Object.entries(variables).map(([name, value]) => ({ name, how: "replace", value }));
}

/** Windows does not tell case apart: there one spelling is enough. */
function proxyChanges(
  variables: Readonly<Record<string, string>>,
  delimiter: string,
): readonly VariableChange[] {
  const all = replacing(variables);
  return delimiter === ";" ? all.filter(({ name }) => name === name.toUpperCase()) : all;
}

/** A proxy would see calls to this machine, keys and all. Where one spelling is set, the other gets its hosts as well. */
function noProxyChanges(user: EnvironmentInput["user"], delimiter: string): readonly VariableChange[] {
  const names = delimiter === ";" ? NO_PROXY_NAMES.slice(0, 1) : NO_PROXY_NAMES; // Windows does not tell case apart
  return names.map((name) => {
    const own = isSet(user[name]) && user[name] !== "*" ? "" : ownNoProxy(user, name);
    return { name, how: "append", value: withLocalHosts(own), separator: "," };
  });
}

function redirection(
  name: string,
  value: string | undefined,
  goingOn: string | undefined,
): readonly string[] {
  if (!isSet(value)) return [];
  if (goingOn !== undefined)
    return [
      `${name} was set to ${originOf(value)}; Tapedeck points it to itself while it is on, and calls that are sent go on to ${originOf(goingOn)}.`,
    ];
  return [
    `${name} was set to ${originOf(value)}; Tapedeck points it to itself while it is on. To record from that address, name it in the setting tapedeck.upstreams.`,
  ];
}

function gatewayNotes({ provider, named, recorded }: ProviderGateway): readonly string[] {
  if (named !== undefined) return [`Calls to ${provider} that are sent go to ${originOf(named)}.`];
  if (recorded === undefined) return [];
  return [
    `The recordings of ${provider} came from ${originOf(recorded)}. To record from there again, name it in the setting tapedeck.upstreams. Until then, no call is sent.`,
  ];
}

/** An address may carry a password or a key; its origin does not. */
function originOf(address: string): string {
  return URL.canParse(address) && new URL(address).origin !== "null"
    ? new URL(address).origin
    : "another address";
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== "";
