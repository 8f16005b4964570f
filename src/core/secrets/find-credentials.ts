import { pickDefined } from "../base/pick-defined.ts";
import type { PlacedTexts } from "./searched-texts.ts";
import { withoutPercentEscapes } from "../base/wire/text.ts";
import { spellingsOf } from "./scanner.ts";
import { credentialsOf, type CarriedBy, type Credential } from "../cassette/credentials.ts";

export interface FoundCredential {
  /** Where it is, in words without the credential. */
  readonly message: string;
  /** Whether it is in the query or in a body field that is named as a credential, where redacting removes it. */
  readonly isInItsPlace: boolean;
  /** The name of its parameter, if it is in its place. */
  readonly parameter?: string;
}

/** A credential of a call, and how it may be written. */
export interface SpelledCredential extends Credential {
  readonly spellings: readonly string[];
}

/** Each value once, with the first of its places. */
export function spelledCredentials(call: CarriedBy): readonly SpelledCredential[] {
  const first = new Map<string, Credential>();
  for (const credential of credentialsOf(call))
    if (!first.has(credential.value)) first.set(credential.value, credential);
  return [...first.values()].map((credential) => ({
    ...credential,
    spellings: spellingsOf(credential.value),
  }));
}

/** Looks for the credentials of a call in what is about to be written; undefined if none is there. */
export function findCredential(
  parts: readonly PlacedTexts[],
  credentials: readonly SpelledCredential[],
): FoundCredential | undefined {
  if (credentials.length === 0) return undefined;
  let first = credentials.length;
  let where = "";
  for (const { place, texts } of parts) {
    const readings = texts.flatMap(readingsOf);
    const isIn = ({ spellings }: SpelledCredential): boolean =>
      readings.some((reading) => spellings.some((spelling) => reading.includes(spelling)));
    const at = credentials.slice(0, first).findIndex(isIn);
    if (at >= 0) [first, where] = [at, place];
  }
  const found = credentials[first];
  if (found === undefined) return undefined;
  const isInBody = where === "request body" && found.place.endsWith(" of its body");
  const isInItsPlace = isInBody || (where === "path" && found.place === "the query");
  return {
    message: `the ${where} holds the credential that the call sent in ${found.place}. Take it out there and record again.`,
    isInItsPlace,
    ...(isInItsPlace && pickDefined({ parameter: found.parameter })),
  };
}

/** Returns a text as it is, without its JSON escapes, and without its URL escapes. */
function readingsOf(text: string): readonly string[] {
  return [...new Set([text, withoutJsonEscapes(text), withoutPercentEscapes(text)])];
}

const NAMED: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function withoutJsonEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, unit: string | undefined, char: string) =>
    unit === undefined ? (NAMED[char] ?? char) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
}
