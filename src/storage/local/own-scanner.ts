import process from "node:process";
import { FROM_ENVIRONMENT, isSecret, scanValues, secretValues } from "../../core/secrets/known-values.ts";
import { loadScanner } from "../../core/secrets/load-scanner.ts";
import type { Scan } from "../../core/secrets/scanner.ts";

/** The kind of what a person gave to Tapedeck as a key. */
const GIVEN = "key that was given to Tapedeck";

let given: readonly string[] = [];

/** From now on these are secrets wherever this process looks for some. What is no secret by its looks is left out. */
export function noteSecrets(values: readonly string[]): void {
  given = [...new Set([...given, ...values.filter(isSecret)])];
}

/** What `noteSecrets` was told, for a thread of this process. */
export function notedSecrets(): readonly string[] {
  return given;
}

/** The search for secrets as this process does it: with those that its environment names, and that it was told of. @see loadScanner */
export async function ownScanner(isAllowed?: (value: string) => boolean): Promise<Scan> {
  const scanNamed = scanValues(secretValues(process.env), FROM_ENVIRONMENT);
  // Scanners are kept, and a key may be given later.
  return loadScanner(isAllowed, (text) => [...scanNamed(text), ...scanValues(given, GIVEN)(text)]);
}
