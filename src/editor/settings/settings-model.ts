import { localize } from "../../core/base/localize.ts";
import { isFields, isText, isTexts, readString } from "../../core/base/lenient.ts";
import type { Limits } from "../../core/answer/budget/limits.ts";
import { MODES } from "../../core/call/call.ts";
import { type OwnPrices, describeExpectedPrices, readPrices } from "../../core/view/prices/own-prices.ts";

export type Settings = { readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]["default"] };

interface SpendingLimits {
  /** Of one run; 0: no limit. */
  readonly calls: number;
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
  /** Whether calls of unknown price are sent, which add nothing to the cost. */
  readonly unknownPrices: boolean;
  readonly prices: OwnPrices;
  /** Whether a person is asked before the first paid call of a window. */
  readonly ask: boolean;
}

/** The limits of a run; a 0 limits nothing. */
export function convertLimits({ limits: { calls, tokens, cost, unknownPrices } }: Settings): Limits {
  return {
    ...(calls > 0 && { calls }),
    ...(tokens > 0 && { tokens }),
    ...(cost > 0 && { costUsd: cost, unknownPrices }),
  };
}

export type CodeLensLevel = Settings["codeLens"];

/** One setting as the manifest has it and as a value is read. `read` gives undefined for what it cannot take. */
interface Definition<T> {
  readonly key: string;
  readonly default: T;
  readonly scope: "resource" | "machine";
  /** Not taken from a workspace that is not trusted. */
  readonly restricted?: true;
  /** Completes the sentence "The setting X must be …". */
  readonly expected: string;
  readonly read: (value: unknown) => T | undefined;
}

const define = <T>(definition: Definition<T>): Definition<T> => definition;

const DEFAULT_LIMITS: SpendingLimits = {
  calls: 1_000,
  tokens: 0,
  cost: 10,
  unknownPrices: true,
  ask: true,
  prices: {},
};

/** The one list of settings; package.json declares exactly these. */
export const SETTINGS = {
  // Settings that weaken a run or spend money are the user's alone: trust in a workspace is not consent to pay.
  /** The mode with which workspaces begin. A chosen mode is remembered apart. */
  mode: choice("tapedeck.mode", MODES, "strict", { scope: "machine" }),
  /** The cassette folder: relative to the workspace folder, or absolute. */
  folder: define({
    key: "tapedeck.folder",
    default: ".tapedeck",
    scope: "resource",
    restricted: true,
    expected: localize("the path of a folder"),
    read: (value) => (typeof value === "string" && value.trim() !== "" ? value.trim() : undefined),
  }),
  /** Addresses by provider. */
  upstreams: define<Readonly<Record<string, string>>>({
    key: "tapedeck.upstreams",
    default: {},
    scope: "machine",
    expected: localize(
      'an object of provider names and addresses, for example { "local": "http://127.0.0.1:8080" }',
    ),
    read: textRecord,
  }),
  codeLens: choice("tapedeck.codeLens", ["all", "missing", "off"], "all", { scope: "resource" }),
  /** Whether a passed test accepts its new recordings. */
  accept: choice("tapedeck.accept", ["manual", "passed"], "manual", { scope: "resource" }),
  timing: choice("tapedeck.replay.timing", ["none", "recorded"], "none", { scope: "resource" }),
  /** Whether connections that clients open to a provider themselves are redirected. */
  guard: flag("tapedeck.guard", true, { scope: "machine" }),
  /** Whether terminals, tasks, and debug sessions get Tapedeck's variables. */
  environment: flag("tapedeck.environment.enabled", true, { scope: "machine" }),
  // By choice: what other extensions start may be an agent that talks to a provider, and no test.
  environmentOfExtensions: flag("tapedeck.environment.extensions", false, {
    scope: "resource",
    restricted: true,
  }),
  /** Program and arguments that run one test, or both as one line; empty: found out from the project. */
  testCommand: define<string | readonly string[]>({
    key: "tapedeck.testCommand",
    default: [],
    scope: "resource",
    restricted: true,
    expected: localize(
      'a list of strings, for example ["npx", "vitest", "run", "${file}", "-t", "${pattern}"], or the same as one line',
    ),
    read: (value) => (typeof value === "string" ? value.trim() : isTexts(value) ? value : undefined),
  }),
  /** The interpreter for Python tests; empty: found out. */
  python: text("tapedeck.python", { scope: "resource", restricted: true }),
  // Never a workspace's to change: it could raise what its own tests may spend.
  limits: define({
    key: "tapedeck.limits",
    default: DEFAULT_LIMITS,
    scope: "machine",
    expected: localize(
      'an object with "calls", "tokens", and "cost" (numbers that are not negative), "unknownPrices" and "ask" (true or false), and "prices" ({0})',
      describeExpectedPrices(),
    ),
    read: readLimits,
  }),
  /** A team's cache; empty: what the environment names, if anything. */
  remoteAddress: text("tapedeck.remote.address", { scope: "machine" }),
};

export interface ReadSettings {
  readonly settings: Settings;
  /** One sentence for each value that could not be taken; its default is used. */
  readonly problems: readonly string[];
}

/** Reads every setting through `get`, which is given the full key. Never throws. */
export function readSettings(get: (key: string) => unknown): ReadSettings {
  const problems: string[] = [];
  const one = <T>(definition: Definition<T>): T => {
    const value = get(definition.key);
    if (value === undefined) return definition.default;
    const taken = definition.read(value);
    if (taken !== undefined) return taken;
    problems.push(
      localize(
        "The setting {0} must be {1}, but it is {2}. Tapedeck uses the default: {3}.",
        definition.key,
        definition.expected,
        shortly(value),
        shortly(definition.default),
      ),
    );
    return definition.default;
  };
  const read = Object.entries(SETTINGS).map(([name, definition]) => [name, one<unknown>(definition)]);
  const settings = Object.fromEntries(read) as Settings;
  return { settings, problems };
}

function choice<T extends string>(
  key: string,
  values: readonly T[],
  initial: T,
  rest: Pick<Definition<T>, "scope" | "restricted">,
): Definition<T> {
  const read = (value: unknown): T | undefined => values.find((one) => one === value);
  return { key, default: initial, expected: localize("one of {0}", values.join(", ")), read, ...rest };
}

function text(key: string, rest: Pick<Definition<string>, "scope" | "restricted">): Definition<string> {
  return { key, default: "", expected: localize("a string"), read: readString, ...rest };
}

function flag(
  key: string,
  initial: boolean,
  rest: Pick<Definition<boolean>, "scope" | "restricted">,
): Definition<boolean> {
  const read = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined);
  return { key, default: initial, expected: localize("true or false"), read, ...rest };
}

/** Reads spending limits. Missing members get their defaults. */
function readLimits(value: unknown): SpendingLimits | undefined {
  if (!isFields(value)) return undefined;
  const { calls, tokens, cost, unknownPrices, ask, prices } = { ...DEFAULT_LIMITS, ...value };
  const own = readPrices(prices);
  const isAmount = (one: unknown): one is number =>
    typeof one === "number" && Number.isFinite(one) && one >= 0;
  if (!isAmount(calls) || !isAmount(tokens) || !isAmount(cost) || !own) return undefined;
  if (typeof unknownPrices !== "boolean" || typeof ask !== "boolean") return undefined;
  return { calls, tokens, cost, unknownPrices, ask, prices: own };
}

function textRecord(value: unknown): Readonly<Record<string, string>> | undefined {
  return isFields(value) && Object.values(value).every(isText)
    ? (value as Readonly<Record<string, string>>)
    : undefined;
}

/** Shortens a value for a message. Long and structured values are not shown, because they can contain a password. */
function shortly(value: unknown): string {
  if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (typeof value === "string") return value.length > 40 ? localize("a longer string") : `"${value}"`;
  if (Array.isArray(value))
    return value.length === 0 ? localize("an empty list") : localize("a different list");
  return Object.keys(value ?? {}).length === 0 ? localize("empty") : localize("a different value");
}
