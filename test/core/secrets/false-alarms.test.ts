import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { loadScanner } from "../../../src/core/secrets/load-scanner.ts";
import { casesOf } from "../../support/cases.ts";
import { abbreviateSecret } from "../../../src/core/secrets/scanner.ts";

const scan = await loadScanner();
const ROOT = join(import.meta.dirname, "../../..");
/** Code that talks about credentials: this project's, and packages whose versions `package.json` pins. */
const PACKAGES =
  "@anthropic-ai/sdk aws4fetch https-proxy-agent ioredis jsonc-parser ollama openai proxy-from-env yaml zod";
const FOLDERS = ["src", "docs", ...PACKAGES.split(" ").map((name) => `node_modules/${name}`)];
const SOURCE = /\.(?:[cm]?[jt]sx?|json|md|ya?ml)$/;
/** In bytes: longer files are bundles. */
const LONGEST = 300_000;
/** Files: two tests of zod have a token, and a password in an address; openai has two names that look like passwords. */
const MOST = 4;

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => statSync(path).size <= LONGEST);
}

/** Agents read files into prompts: there a file is a string of JSON. */
function alarmsIn(path: string): readonly string[] {
  const text = readFileSync(path, "utf8");
  const [found] = [...scan(text), ...scan(JSON.stringify({ content: text }))];
  return found === undefined ? [] : [`${path.slice(ROOT.length + 1)}: ${abbreviateSecret(found)}`];
}

it("few files of code hold what looks like a secret", () => {
  const all = [...FOLDERS.flatMap(sourcesIn), join(ROOT, "package-lock.json")];
  const paths = all.filter((_, at) => at % casesOf({ quick: 12, long: 1 }) === 0);

  const alarms = paths.flatMap(alarmsIn);

  expect(all.length).toBeGreaterThan(3_000);
  expect(alarms.length > MOST ? alarms : []).toEqual([]);
});

it("no hash in hexadecimal looks like a secret, whatever it begins with", () => {
  const rest = createHash("sha512").update("a hash").digest("hex");
  const beginnings = Array.from({ length: 65_536 }, (_, index) => index.toString(16).padStart(4, "0"));
  const hashes = beginnings.flatMap((beginning) => [
    `${beginning}${rest.slice(0, 36)}`,
    `${beginning}${rest.slice(0, 60)}`,
  ]);

  const alarms = scan(hashes.join("\n")).map(abbreviateSecret);

  expect(alarms).toEqual([]);
});
