import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import type { Provider } from "../../core/protocol/base/protocol.ts";
import { GUARD_OFF, GUARD_VARIABLE, type HookVariables } from "../../hooks/environment.ts";
import {
  NO_PROXY_NAMES,
  splitList,
  joinList,
  createOwnNoProxy,
  withLocalHosts,
} from "../../hooks/list-variable.ts";
import { PLACEHOLDER_KEY, listPlaceholderVariables } from "../../core/protocol/providers.ts";
import { readFields, readString, isFields } from "../../core/base/lenient.ts";

/** A change of one variable. `append` and `prepend` keep its value; the separator is put between two entries. */
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
  /** Variables for attribution: TAPEDECK_URL, TAPEDECK_ROOTS, NODE_OPTIONS, PYTHONPATH. */
  readonly hooks: HookVariables;
  /** The user's variables, without Tapedeck's. */
  readonly user: Readonly<Record<string, string | undefined>>;
  /** Names that the user sets elsewhere, e.g. in `.env` files: no placeholder may hide them. */
  readonly elsewhere: ReadonlySet<string>;
  /** `path.delimiter`. */
  readonly delimiter: string;
  /** The user's own addresses to which calls are forwarded, by their variable. */
  readonly goingOn?: ReadonlyMap<string, string>;
  /** Providers with a gateway in place of their own address. */
  readonly gateways?: readonly ProviderGateway[];
  /** Other variables, with notes for the user. */
  readonly switches?: readonly EnvironmentSwitch[];
}

/** The gateway to which a provider's calls go, as the user named it, or from which its recordings came. */
export interface ProviderGateway {
  readonly provider: string;
  readonly named?: string | undefined;
  readonly recorded?: string | undefined;
}

/** A variable whose value depends on the mode. */
export interface EnvironmentSwitch {
  readonly name: string;
  readonly value: string;
  /** One sentence. */
  readonly note?: string;
}

export interface EnvironmentPlan {
  readonly changes: readonly VariableChange[];
  /** One sentence for each variable of the user's that points elsewhere while ours is set. */
  readonly notes: readonly string[];
  /** Whether processes redirect connections that a client opens to a provider itself. */
  readonly isGuarded: boolean;
}

/**
 * Plans the variables of processes. Placeholder keys do not depend on the mode, so that a terminal outlives a change of
 * the mode. They are set only if the user has no key, and are never forwarded.
 */
export function planEnvironment(input: EnvironmentInput): EnvironmentPlan {
  const { addresses, hooks, user, elsewhere, switches = [] } = input;
  const isThere = (name: string): boolean => isSet(user[name]) || elsewhere.has(name);
  const placeholders = input.providers.flatMap((provider) => listPlaceholderVariables(provider, isThere));
  return {
    changes: [
      ...Object.entries(addresses).map(([name, value]): VariableChange => ({ name, how: "replace", value })),
      ...placeholders.map((name): VariableChange => ({ name, how: "replace", value: PLACEHOLDER_KEY })),
      ...hookChanges(hooks, input.delimiter),
      ...noProxyChanges(user, input.delimiter),
      ...switches.map(({ name, value }): VariableChange => ({ name, how: "replace", value })),
    ],
    notes: [
      ...Object.keys(addresses).flatMap((name) => redirection(name, user[name], input.goingOn?.get(name))),
      ...switches.flatMap(({ note }) => note ?? []),
      ...(input.gateways ?? []).flatMap(gatewayNotes),
    ],
    isGuarded: hooks.set[GUARD_VARIABLE] !== GUARD_OFF,
  };
}

/** Returns notes about calls that do not reach Tapedeck, which strict mode cannot stop either. */
export function listReachNotes(
  { isGuarded, notes }: Pick<EnvironmentPlan, "isGuarded" | "notes">,
  { isShared }: { readonly isShared: boolean },
): readonly string[] {
  return [...(isGuarded ? [] : [GUARD_IS_OFF]), ...(isShared ? notes : [NOT_SHARED])];
}

const GUARD_IS_OFF = localize(
  "The guard is off, so clients with a provider's address in their code call that provider, even in strict mode. To turn it on, set tapedeck.guard and remove TAPEDECK_GUARD=off from your environment.",
);
const NOT_SHARED = localize(
  "Calls from terminals, tasks, and debug sessions do not reach Tapedeck, because the setting tapedeck.environment.enabled is off.",
);

/** Returns the changed variables of a process that Tapedeck starts: the changes applied to `base`. */
export function applyChanges(
  changes: readonly VariableChange[],
  base: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    changes.map((change) => [change.name, computeValueAfter(change, base[change.name])]),
  );
}

/** Returns the value of a variable after a change. A value that already contains the change stays unchanged. */
export function computeValueAfter(change: VariableChange, before: string | undefined): string {
  if (change.how === "replace" || !isSet(before)) return change.value;
  if (NO_PROXY_NAMES.some((name) => name === change.name)) return withLocalHosts(before);
  if (change.separator !== " ") return joinList(before, change);
  return before.includes(change.value) ? before : `${before} ${change.value}`; // not split, because quoted parts can contain spaces
}

/** Removes placeholders for runs that may call providers, because they would hide keys from other sources. */
export function withoutPlaceholders(changes: readonly VariableChange[]): readonly VariableChange[] {
  return changes.filter(({ value }) => value !== PLACEHOLDER_KEY);
}

function hookChanges(
  { set, nodeOption, pythonFolder }: HookVariables,
  delimiter: string,
): readonly VariableChange[] {
  return [
    ...Object.entries(set).map(([name, value]): VariableChange => ({ name, how: "replace", value })),
    { name: "NODE_OPTIONS", how: "append", value: nodeOption, separator: " " },
    ...(pythonFolder === undefined
      ? []
      : [{ name: "PYTHONPATH", how: "prepend", value: pythonFolder, separator: delimiter } as const]),
  ];
}

/** Excludes this machine from proxies, which would see its calls and keys. Each spelling also gets the other's hosts. */
function noProxyChanges(user: EnvironmentInput["user"], delimiter: string): readonly VariableChange[] {
  const spellings = delimiter === ";" ? NO_PROXY_NAMES.slice(0, 1) : NO_PROXY_NAMES; // Windows ignores case
  return spellings.map((name) => {
    const own = isSet(user[name]) && user[name] !== "*" ? "" : createOwnNoProxy(user, name);
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
      localize(
        "{0} was set to {1}. While Tapedeck is on, it points to Tapedeck, which forwards calls to {2}.",
        name,
        originOf(value),
        originOf(goingOn),
      ),
    ];
  return [
    localize(
      "{0} was set to {1}. While Tapedeck is on, it points to Tapedeck. To record from that address, add it to the setting tapedeck.upstreams.",
      name,
      originOf(value),
    ),
  ];
}

function gatewayNotes({ provider, named, recorded }: ProviderGateway): readonly string[] {
  if (named !== undefined)
    return [localize("Calls to {0} that are sent go to {1}.", provider, originOf(named))];
  if (recorded === undefined) return [];
  return [
    localize(
      "The recordings of {0} came from {1}. To record from there again, add it to the setting tapedeck.upstreams. Until then, no call is sent.",
      provider,
      originOf(recorded),
    ),
  ];
}

/** Returns the origin of an address, which contains no password or key. */
function originOf(address: string): string {
  return URL.canParse(address) && new URL(address).origin !== "null"
    ? new URL(address).origin
    : localize("another address");
}

const isSet = (value: string | undefined): value is string => value !== undefined && value !== "";

/** The part of a debug configuration that matters here. */
interface DebugConfiguration {
  readonly request?: unknown;
  readonly env?: unknown;
  readonly envFile?: unknown;
}

interface DebugSurroundings {
  /** The environment that the debugged process inherits, without what is ours. */
  readonly own: Readonly<Record<string, string | undefined>>;
  /** Names that the configuration's `envFile` sets. */
  readonly fromFile: readonly string[];
}

/** Adds our variables to the `env` of a configuration, which keeps its own. Configurations that attach are unchanged. */
export function extendDebugEnvironment<T extends DebugConfiguration>(
  configuration: T,
  changes: readonly VariableChange[],
  { own, fromFile }: DebugSurroundings,
): T {
  if (configuration.request !== "launch") return configuration;
  const env = readFields(configuration.env);
  const added = changes
    .filter(({ name, value }) => !(value === PLACEHOLDER_KEY && fromFile.includes(name)))
    .filter(({ name, how }) => how !== "replace" || !(name in env))
    .map(
      (change) =>
        [change.name, computeValueAfter(change, readString(env[change.name]) ?? own[change.name])] as const,
    );
  return { ...configuration, env: { ...env, ...Object.fromEntries(added) } };
}

/** The absolute path of the configuration's `envFile`, if it can be resolved. */
export function readEnvFile({ envFile }: DebugConfiguration, folder: string): string | undefined {
  if (typeof envFile !== "string" || envFile === "") return undefined;
  const named = envFile.replaceAll("${workspaceFolder}", folder);
  return named.includes("${") ? undefined : path.resolve(folder, named);
}

/** Whether a new terminal already has a variable: "unknown" if a task or a profile may set it. */
type TerminalState = "set" | "unset" | "unknown";

/** A change of one variable of a terminal. VS Code joins texts as they are, also if the variable is not set. */
export interface TerminalChange {
  readonly name: string;
  readonly how: VariableChange["how"];
  readonly value: string;
}

/**
 * Returns the change for a terminal; undefined if the variable must stay as it is. A separator joined to an empty value
 * would add an empty entry. In PYTHONPATH, that is the working directory, whose code would run with every `pip --version`.
 */
export function computeTerminalChange(
  change: VariableChange,
  state: TerminalState,
): TerminalChange | undefined {
  const { name, how, value } = change;
  if (how === "replace") return { name, how, value };
  const { separator } = change;
  const joining = { name, how, value: how === "append" ? separator + value : value + separator };
  if (separator === " ") return joining; // blanks leave no entries
  if (state === "unset") return { name, how: "replace", value };
  return state === "set" && value !== "*" ? joining : undefined;
}

/** Sources of a terminal's variables, except for those that extensions add. */
export interface TerminalSources {
  /** Variables that terminals inherit; empty if the setting `terminal.integrated.inheritEnv` is off. */
  readonly inherited: Readonly<Record<string, string | undefined>>;
  /** The setting `terminal.integrated.env.<system>`, unchanged: null removes a variable. */
  readonly settings: unknown;
  /** Settings of tasks and terminal profiles, whose variables are unknown before they start. */
  readonly others: readonly unknown[];
  /** Separates the entries of the variable. */
  readonly separator: string;
}

export function describeTerminalState(
  name: string,
  { inherited, settings, others, separator }: TerminalSources,
): TerminalState {
  const setting = readFields(settings)[name];
  const text = setting === undefined ? inherited[name] : setting;
  if (typeof text === "string") {
    // Values that VS Code fills in can be empty, except for the folder.
    const sure = text.replaceAll("${workspaceFolder}", "/").replaceAll(/\$\{[^}]*\}/gu, "");
    if (splitList(sure, separator).length > 0) return "set";
    if (text.includes("${")) return "unknown";
  }
  return others.some((other) => names(other, name)) ? "unknown" : "unset";
}

/** Whether a value has a member with this name at any depth. */
function names(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((one) => names(one, name));
  return (
    isFields(value) && (Object.hasOwn(value, name) || Object.values(value).some((one) => names(one, name)))
  );
}
