import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

const PLACES = {
  data: { variable: "XDG_DATA_HOME", below: [".local", "share"] },
  state: { variable: "XDG_STATE_HOME", below: [".local", "state"] },
} as const;

/**
 * Returns the home folder: `HOME` of `env`, or else the system's. It is the root for a user without one, as in containers
 * that run as a number.
 */
export function findHome(env: Readonly<Record<string, string | undefined>> = {}): string {
  try {
    return env["HOME"] || homedir() || "/";
  } catch {
    return "/";
  }
}

/** The user's own folder for what programs keep: data that lasts, or state that may be lost. */
export function findUserFolder(
  kind: keyof typeof PLACES,
  env: Readonly<Record<string, string | undefined>>,
  home: string = findHome(env),
): string {
  if (process.platform === "win32") return env["LOCALAPPDATA"] ?? join(home, "AppData", "Local");
  if (process.platform === "darwin") return join(home, "Library", "Application Support");
  const { variable, below } = PLACES[kind];
  const named = env[variable] ?? "";
  // A snap's goes with its next version.
  return isAbsolute(named) && env["SNAP"] === undefined ? named : join(home, ...below);
}
