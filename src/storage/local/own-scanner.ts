import { join } from "node:path";
import { readDotenv } from "../../core/base/dotenv.ts";
import { listSpellings } from "../../core/base/wire/text.ts";
import { loadScanner } from "../../core/secrets/load-scanner.ts";
import { mayTitleHoldSecret, type Scan, type TitledTest } from "../../core/secrets/scanner.ts";
import { READ_LIMITS, readBytesNow } from "../folder/read-file.ts";

const TELLING =
  /(?:(?:access|account|api|auth|encryption|private|secret|service|signing)[-_]?key|token|secret|passw(?:or)?d|passphrase|credentials?)$/i;
/** A path is where a secret is stored. */
const PATH = /^(?:[./~\\]|[A-Za-z]:[\\/])/;
/** In characters: shorter values are in texts by chance. */
const SHORTEST = 16;

let noted: readonly string[] = [];
/** Shared by all scanners: they are kept, and a key may be given later. */
const known: { readonly kind: string; spellings: readonly string[] } = {
  kind: "secret from an environment variable",
  spellings: [],
};

function updateKnown(): void {
  known.spellings = [...secretValues(process.env), ...noted].flatMap(listSpellings);
}

/**
 * Adds values to the secrets of this process, like those of its environment: keys that a user gave for a run, or that a
 * run reads from a file. Values that do not look like secrets are ignored.
 */
export function noteSecrets(values: readonly string[]): void {
  noted = [...new Set([...noted, ...values.filter(isSecret)])];
  updateKnown();
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
      // The file does not exist or cannot be read.
    }
  }
}

/**
 * The search for secrets as this process does it: with those that its environment names, and those that were noted, in
 * all their spellings. @see loadScanner
 */
export async function createOwnScanner(isAllowed?: (value: string) => boolean): Promise<Scan> {
  updateKnown();
  return loadScanner(isAllowed, known);
}

/** Tests without the secrets that their titles say, whatever the project does about secrets: so they are written down. */
export async function removeSecretsFromTests<T extends { readonly test: TitledTest }>(
  tests: readonly T[],
): Promise<readonly T[]> {
  if (!tests.some(({ test }) => mayTitleHoldSecret(test))) return tests;
  const { redactTest } = await import("../../core/secrets/redact-call.ts");
  const scan = await createOwnScanner();
  return tests.map((one) => ({ ...one, test: redactTest(one.test, scan) }));
}

/**
 * The values of variables whose names call them a secret and that look like one: 16 or more characters without white
 * space that mix letters and digits, except paths and URLs. The longest first.
 */
function secretValues(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = ""]) =>
    TELLING.test(name) && isSecret(value) ? [value] : [],
  );
  return [...new Set(values)].sort((a, b) => b.length - a.length);
}

/** Whether a value that is called a secret looks like one. */
function isSecret(value: string): boolean {
  if (value.length < SHORTEST || PATH.test(value) || value.includes("://")) return false;
  return /^\S+$/.test(value) && /[A-Za-z]/.test(value) && /\d/.test(value);
}
