import { withoutPercentEscapes } from "../wire/percent.ts";
import { isJsonContainer, literalsOf } from "./string-literals.ts";
import type { Scan, Secret } from "./scanner.ts";

/** What a text holds. */
export interface FoundSecrets {
  /** Those that stand in it, or in a string of its JSON, as they are. */
  readonly plain: readonly Secret[];
  /** Those that appear once base64 or URL escapes are undone. */
  readonly encoded: readonly Secret[];
}

const DEEPEST = 4;

/** Looks for secrets in texts and in whatever they say when their usual encodings are undone. */
export function secretsIn(said: string | readonly string[], scan: Scan): FoundSecrets {
  const texts = typeof said === "string" ? [said] : said;
  // One look at all of them: the rules are many, and the texts short.
  const readings = [texts.join("\n"), ...texts.flatMap((text) => stringsWithin(text, 0))];
  const plain = unique(readings.flatMap(scan));
  const decoded = readings.flatMap((reading) => [...withoutPercents(reading), ...fromBase64(reading)]);
  const encoded = unique(decoded.flatMap((reading) => secretsOf(reading, scan)));
  const known = new Set(plain.map(({ value }) => value));
  return { plain, encoded: encoded.filter(({ value }) => !known.has(value)) };
}

function secretsOf(text: string, scan: Scan): readonly Secret[] {
  return [text, ...stringsWithin(text, 0)].flatMap(scan);
}

/** All that the strings of a JSON text say, a string a line, and all that JSON within them says. */
function stringsWithin(text: string, depth: number): readonly string[] {
  if (depth > DEEPEST || !isJsonContainer(text)) return [];
  const values = literalsOf(text).map(({ value }) => value);
  return [values.join("\n"), ...values.flatMap((value) => stringsWithin(value, depth + 1))];
}

function withoutPercents(text: string): readonly string[] {
  return /%[0-9a-fA-F]{2}/.test(text) ? [withoutPercentEscapes(text)] : [];
}

/** Shorter base64 holds nothing that a rule would know. */
const BASE64 = /[A-Za-z0-9+/_-]{24,}/g;
/** Longer runs begin where they say: data of a picture does not lie behind a word. */
const SHIFTED = 65_536;
/** What is text among what base64 stood for. */
const PRINTABLE = /[\t\n\r\x20-\x7e]{16,}/g;

function fromBase64(text: string): readonly string[] {
  const found: string[] = [];
  for (const [run] of text.matchAll(BASE64)) {
    const plain = run.replaceAll("-", "+").replaceAll("_", "/");
    for (const shift of run.length > SHIFTED ? [0] : [0, 1, 2, 3]) {
      const cut = plain.slice(shift);
      const decoded = atob(cut.length % 4 === 1 ? cut.slice(0, -1) : cut);
      for (const [readable] of decoded.matchAll(PRINTABLE)) found.push(readable);
    }
  }
  return found.length === 0 ? [] : [found.join("\n")];
}

export function unique(secrets: readonly Secret[]): readonly Secret[] {
  return [...new Map(secrets.map((secret) => [secret.value, secret])).values()];
}
