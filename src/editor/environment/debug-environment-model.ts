import * as path from "node:path";
import { valueAfter, type VariableChange } from "./environment-model.ts";
import { PLACEHOLDER_KEY } from "../../core/protocol/providers.ts";

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

/** The configuration with our variables in its `env`; what it says itself stands. Attaching starts nothing: unchanged. */
export function debugEnvironment<T extends DebugConfiguration>(
  configuration: T,
  changes: readonly VariableChange[],
  { own, fromFile }: DebugSurroundings,
): T {
  if (configuration.request !== "launch") return configuration;
  const env = record(configuration.env);
  const added = changes
    .filter(({ name, value }) => !(value === PLACEHOLDER_KEY && fromFile.includes(name)))
    .filter(({ name, how }) => how !== "replace" || !(name in env))
    .map((change) => [change.name, valueAfter(change, text(env[change.name]) ?? own[change.name])] as const);
  return { ...configuration, env: { ...env, ...Object.fromEntries(added) } };
}

/** The absolute path of the configuration's `envFile`, where it names one in a way that can be followed. */
export function envFileOf({ envFile }: DebugConfiguration, folder: string): string | undefined {
  if (typeof envFile !== "string" || envFile === "") return undefined;
  const named = envFile.replaceAll("${workspaceFolder}", folder);
  return named.includes("${") ? undefined : path.resolve(folder, named);
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
