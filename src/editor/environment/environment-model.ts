import { PLACEHOLDER_KEY } from "../../core/source/forward.ts";
import type { HookVariables } from "../../hooks/environment.ts";

/** What is done to one variable. `append` and `prepend` keep what is there, with the separator between. */
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
  /** For each provider the variables that hold its key; the first one is what its SDK asks for. */
  readonly keyVariables: readonly (readonly string[])[];
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
  /** What else is set, and what a person should know of it. */
  readonly switches?: readonly EnvironmentSwitch[];
}

/** A variable that is set as the mode says. */
export interface EnvironmentSwitch {
  readonly name: string;
  readonly value: string;
  /** One sentence. */
  readonly note: string;
}

export interface EnvironmentPlan {
  readonly changes: readonly VariableChange[];
  /** One sentence for each variable of the user's that points elsewhere while ours is set. */
  readonly notes: readonly string[];
}

/**
 * What processes get. Placeholder keys do not depend on the mode, so that a terminal outlives a change of it:
 * they are set only where the user has no key, and are never forwarded.
 */
export function planEnvironment(input: EnvironmentInput): EnvironmentPlan {
  const { addresses, hooks, user, elsewhere, switches = [] } = input;
  const placeholders = input.keyVariables
    .filter((names) => !names.some((name) => isSet(user[name]) || elsewhere.has(name)))
    .flatMap((names) => names[0] ?? []);
  return {
    changes: [
      ...Object.entries(addresses).map(([name, value]): VariableChange => ({ name, how: "replace", value })),
      ...placeholders.map((name): VariableChange => ({ name, how: "replace", value: PLACEHOLDER_KEY })),
      ...hookChanges(hooks, input.delimiter),
      ...switches.map(({ name, value }): VariableChange => ({ name, how: "replace", value })),
    ],
    notes: [
      ...Object.keys(addresses).flatMap((name) => redirection(name, user[name], input.goingOn?.get(name))),
      ...switches.map(({ note }) => note),
    ],
  };
}

/** The environment of a process of our own: the changes made to `base`. Names that are not changed are left out. */
export function applied(
  changes: readonly VariableChange[],
  base: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(changes.map((change) => [change.name, valueAfter(change, base[change.name])]));
}

/** What one variable is after a change; unchanged where the change is there already. */
export function valueAfter(change: VariableChange, before: string | undefined): string {
  if (change.how === "replace" || !isSet(before)) return change.value;
  if (before.includes(change.value)) return before;
  const { how, value, separator } = change;
  return how === "append" ? before + separator + value : value + separator + before;
}

/** The text with which a terminal's variable is changed: it joins without a separator of its own. */
export function terminalText(change: VariableChange): string {
  const { how, value } = change;
  if (how === "replace") return value;
  return how === "append" ? change.separator + value : value + change.separator;
}

/** For a run that may call providers: a placeholder would stand in the way of a key that comes from elsewhere. */
export function withoutPlaceholders(changes: readonly VariableChange[]): readonly VariableChange[] {
  return changes.filter(({ value }) => value !== PLACEHOLDER_KEY);
}

/** The names that a `.env` file sets. Values are not looked at. */
export function namesInDotenv(text: string): readonly string[] {
  return [...text.matchAll(/^[ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=[ \t]*(?=\S)/gmu)].flatMap(
    (match) => match[1] ?? [],
  );
}

function hookChanges({ set, append, prepend }: HookVariables, delimiter: string): readonly VariableChange[] {
  const options = append.NODE_OPTIONS.trim();
  const folder = prepend.PYTHONPATH.slice(0, -delimiter.length);
  return [
    ...Object.entries(set).map(([name, value]): VariableChange => ({ name, how: "replace", value })),
    { name: "NODE_OPTIONS", how: "append", value: options, separator: " " },
    { name: "PYTHONPATH", how: "prepend", value: folder, separator: delimiter },
  ];
}

function redirection(
  name: string,
  value: string | undefined,
  goingOn: string | undefined,
): readonly string[] {
  if (!isSet(value)) return [];
  if (goingOn !== undefined)
    return [
      `${name} was set to ${originOf(value)}; Tapedeck points it to itself while it is on, and calls that leave this machine go on to ${originOf(goingOn)}.`,
    ];
  return [
    `${name} was set to ${originOf(value)}; Tapedeck points it to itself while it is on. To record from that address, name it in the setting tapedeck.upstreams.`,
  ];
}

/** An address may carry a password or a key; its origin does not. */
function originOf(address: string): string {
  return URL.canParse(address) && new URL(address).origin !== "null"
    ? new URL(address).origin
    : "another address";
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== "";
}
