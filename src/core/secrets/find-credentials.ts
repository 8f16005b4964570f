import { credentialOfAnother, type TapedeckError } from "../base/errors.ts";
import type { Call } from "../call/call.ts";
import { PROVIDERS } from "../protocol/providers.ts";
import { bytesOf, withoutPercentEscapes } from "../base/wire/text.ts";
import { pickDefined } from "../base/pick-defined.ts";
import type { PlacedTexts } from "./searched-texts.ts";
import { credentialsOf, type CarriedBy, type Credential } from "../cassette/recorded-request.ts";

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

/**
 * How a value is written: as it is, escaped for JSON and for URLs, in hexadecimal, and in base64 of both alphabets, alone or
 * anywhere within something longer.
 */
export function spellingsOf(value: string): readonly string[] {
  const bytes = bytesOf(value);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((offset) => base64Within(bytes, offset));
  const url = base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_"));
  const escaped = [JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  return [...new Set([value, ...escaped, hex, hex.toUpperCase(), ...base64, ...url])];
}

/** The base64 digits that depend on `bytes` alone when they begin `offset` bytes (mod 3) into the encoded data. */
function base64Within(bytes: Uint8Array, offset: number): string {
  const text = btoa("\0".repeat(offset) + String.fromCharCode(...bytes));
  const first = Math.ceil((offset * 8) / 6);
  const whole = Math.floor(((offset + bytes.byteLength) * 8) / 6);
  return text.slice(first, whole);
}

/** Keys that say whose they are by how they begin. A company's own products share them. */
const SHAPES: readonly (readonly [shape: RegExp, owner: string, of: readonly string[]])[] = [
  [/^sk-ant-/, "Anthropic", ["anthropic"]],
  [/^sk-or-/, "OpenRouter", ["openrouter"]],
  [/^sk-(?:proj|svcacct|admin)-/, "OpenAI", ["openai"]],
  [/^gsk_/, "Groq", ["groq"]],
  [/^xai-/, "xAI", ["xai"]],
  [/^AIza[\w-]{35}/, "Google", ["gemini", "vertex"]],
  [/^hf_/, "Hugging Face", ["huggingface"]],
  [/^tgp_v1_/, "Together", ["together"]],
  [/^r8_/, "Replicate", ["replicate"]],
  [/^nvapi-/, "NVIDIA", []],
  [/^pplx-/, "Perplexity", []],
  [/^fw_/, "Fireworks", []],
  [/^csk-/, "Cerebras", []],
];

/** Headers in which one company's clients send keys, and which others never read. */
const HEADERS: Readonly<Record<string, { readonly owner: string; readonly of: readonly string[] }>> = {
  "api-key": { owner: "Azure", of: ["azure", "mistral"] },
  "x-goog-api-key": { owner: "Google", of: ["gemini", "vertex"] },
  "x-api-key": { owner: "Anthropic", of: ["anthropic"] },
};

const QUERY_KEY = /[?&](?:key|api[_-]?key)=([^&#]+)/i;

/**
 * Why a call must not be sent to an address: it carries a key that is another company's. Only addresses that belong to
 * a provider known here are judged; a gateway that its user named may take whatever key it likes.
 */
export function credentialOfOther(
  { path, headers }: Pick<Call, "path" | "headers">,
  address: string,
): TapedeckError | undefined {
  const addressee = companyAt(address);
  if (addressee === undefined) return undefined;
  const refused = (owner: string, place: string): TapedeckError =>
    credentialOfAnother({ owner, place, addressee, address });
  const query = QUERY_KEY.exec(path)?.[1];
  const places = [...headers, ...(query === undefined ? [] : [["the query", query] as const])];
  for (const [name, value] of places) {
    const key = value.replace(/^(?:bearer|key|token)\s+/i, "");
    const shape = SHAPES.find(([looks]) => looks.test(key));
    if (shape !== undefined && !shape[2].includes(addressee)) return refused(shape[1], name);
    const own = HEADERS[name];
    if (addressee === "openai" && own !== undefined) return refused(own.owner, name);
    if (addressee === "anthropic" && own !== undefined && !own.of.includes(addressee))
      return refused(own.owner, name);
  }
  return undefined;
}

/** The provider whose own address it is; undefined for this machine, gateways and whatever else is named. */
function companyAt(address: string): string | undefined {
  const host = URL.canParse(address) ? new URL(address).hostname : "";
  return PROVIDERS.find(
    ({ upstream }) => upstream?.startsWith("https:") === true && hostOf(upstream) === host,
  )?.name;
}

function hostOf(address: string): string {
  return new URL(address).hostname;
}
