import type { Scan } from "./scanner.ts";

/** The kind of what is a secret because a variable of the environment says so. */
export const FROM_ENVIRONMENT = "secret from an environment variable";

const TELLING =
  /(?:(?:access|account|api|auth|encryption|private|secret|service|signing)[-_]?key|token|secret|passw(?:or)?d|passphrase|credentials?)$/i;
/** Paths are where a secret lies. */
const PATH = /^(?:[./~\\]|[A-Za-z]:[\\/])/;
/** In characters: what is shorter stands in texts by chance. */
const SHORTEST = 16;

/**
 * What variables say whose names tell of a secret, where it looks like one: 16 characters or more without white space,
 * letters and digits among them. No file's path, and no address. The longest first.
 */
export function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = ""]) =>
    TELLING.test(name) && isSecret(value) ? [value] : [],
  );
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

/** Whether a value that is called a secret looks like one. */
export function isSecret(value: string): boolean {
  if (value.length < SHORTEST || PATH.test(value) || value.includes("://")) return false;
  return /^\S+$/.test(value) && /[A-Za-z]/.test(value) && /\d/.test(value);
}

/** Finds these very values. */
export function scanValues(values: readonly string[], kind: string): Scan {
  return (text) => values.filter((value) => text.includes(value)).map((value) => ({ kind, value }));
}
