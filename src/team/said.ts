import { wrongUsage } from "../core/errors.ts";

/*
 * What a person said of a team's cache. Nothing of a cache is loaded for it: mostly there is none.
 */

/** What was said, by whatever way. */
export interface SaidOfRemote {
  /** Undefined or empty: there is none. */
  readonly address: string | undefined;
  readonly key: string | undefined;
  readonly scope?: string | undefined;
  readonly writes: boolean;
  readonly encrypt: boolean;
}

export type Env = Readonly<Record<string, string | undefined>>;

/** What the environment says of a team's cache. */
export function saidByEnvironment(env: Env): SaidOfRemote {
  return {
    address: env["TAPEDECK_REMOTE"],
    key: env["TAPEDECK_REMOTE_KEY"],
    scope: env["TAPEDECK_REMOTE_SCOPE"],
    writes: isOn("TAPEDECK_REMOTE_WRITE", env),
    encrypt: isOn("TAPEDECK_REMOTE_ENCRYPT", env),
  };
}

/** Whether a variable is about a team's cache. These are the user's alone: no program that is started is given them. */
export const isAboutRemote = (variable: string): boolean => /^TAPEDECK_REMOTE(?:_|$)/i.test(variable);

function isOn(variable: string, env: Env): boolean {
  const value = env[variable] ?? "";
  if (value === "" || value === "0" || value === "false") return false;
  if (value === "1" || value === "true") return true;
  throw wrongUsage(`${variable} is "${value}".`, "Set it to 1, or leave it out.");
}
