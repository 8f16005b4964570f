import process from "node:process";
import { secretValues } from "../../core/secrets/known-values.ts";
import { loadScanner } from "../../core/secrets/load-scanner.ts";
import type { Scan } from "../../core/secrets/scanner.ts";

/** The search for secrets as this process does it: with those that its environment names. @see loadScanner */
export async function ownScanner(isAllowed?: (value: string) => boolean): Promise<Scan> {
  return loadScanner(isAllowed, secretValues(process.env));
}
