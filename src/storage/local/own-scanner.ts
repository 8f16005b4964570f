import process from "node:process";
import { join } from "node:path";
import { FROM_ENVIRONMENT, isSecret, scanValues, secretValues } from "../../core/secrets/known-values.ts";
import { readDotenv } from "../../core/dotenv.ts";
import { loadScanner } from "../../core/secrets/load-scanner.ts";
import { titleMayHoldSecret, type Scan, type TitledTest } from "../../core/secrets/scanner.ts";
import { READ_LIMITS, readBytesNow } from "../folder/read-file.ts";

let noted: readonly string[] = [];

/**
 * From now on these are secrets wherever this process looks for some, as those of its environment are: a person gave
 * them for a run, or a run reads them from a file. What is no secret by its looks is left out.
 */
export function noteSecrets(values: readonly string[]): void {
  noted = [...new Set([...noted, ...values.filter(isSecret)])];
}

/** Files from which programs of a project read variables. */
export const DOTENV_FILES = [".env", ".env.local", ".env.test", ".env.test.local", ".env.development"];

/** Notes what a project's files of variables call a secret, as they are now. */
export function noteSecretsOfFiles(folder: string): void {
  for (const name of DOTENV_FILES) {
    try {
      const bytes = readBytesNow(join(folder, name), { most: READ_LIMITS.config, links: "followed" });
      noteSecrets(secretValues(readDotenv(bytes.toString("utf8"))));
    } catch {
      // There is none, or nobody can read it.
    }
  }
}

/** The search for secrets as this process does it: with those that its environment names, and that were noted. @see loadScanner */
export async function ownScanner(isAllowed?: (value: string) => boolean): Promise<Scan> {
  const named = secretValues(process.env);
  // Scanners are kept, and a key may be given later.
  return loadScanner(isAllowed, (text) => scanValues([...named, ...noted], FROM_ENVIRONMENT)(text));
}

/** Tests without the secrets that their titles say, whatever the project does about secrets: so they are written down. */
export async function testsWithoutSecrets<T extends { readonly test: TitledTest }>(
  tests: readonly T[],
): Promise<readonly T[]> {
  if (!tests.some(({ test }) => titleMayHoldSecret(test))) return tests;
  const { redactTest } = await import("../../core/secrets/redact-call.ts");
  const scan = await ownScanner();
  return tests.map((one) => ({ ...one, test: redactTest(one.test, scan) }));
}
