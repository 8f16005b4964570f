import type { Environment } from "../core/base/environment.ts";

/** Returns the environment variables of the process; none in a browser. */
export function readEnvironmentVariables(): Environment {
  return (globalThis as { readonly process?: { readonly env: Environment } }).process?.env ?? {};
}
