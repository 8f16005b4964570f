import { localize } from "../core/base/localize.ts";
import { createWrongUsage } from "../core/base/errors.ts";

/*
 * The variables of a team cache. Nothing of a cache is loaded for them, because most people have none.
 */

export type Env = Readonly<Record<string, string | undefined>>;

/** A person's settings for a team cache, from options, variables, or the editor. */
export interface RemoteOptions {
  /** Undefined or empty: there is no team cache. */
  readonly address: string | undefined;
  readonly key: string | undefined;
  readonly writes: boolean;
}

export function readRemoteVariables(env: Env): RemoteOptions {
  return {
    address: env["TAPEDECK_REMOTE"],
    key: env["TAPEDECK_REMOTE_KEY"],
    writes: isOn("TAPEDECK_REMOTE_WRITE", env),
  };
}

/** Whether a variable is about a team cache. No program that is started gets one of these. */
export const isAboutRemote = (variable: string): boolean => /^TAPEDECK_REMOTE(?:_|$)/i.test(variable);

function isOn(variable: string, env: Env): boolean {
  const value = env[variable] ?? "";
  if (value === "" || value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  throw createWrongUsage(localize('{0} is "{1}".', variable, value), localize("Set it to 1, or remove it."));
}
