import { localize } from "../base/localize.ts";
import { createCredentialOfAnother, type TapedeckError, createTapedeckError } from "../base/errors.ts";
import type { Call, WireHeaders } from "../call/call.ts";
import { PROVIDERS } from "../protocol/providers.ts";
import { listSpellings, withoutPercentEscapes } from "../base/wire/text.ts";
import { SHORT_ESCAPES } from "../base/json/json-style.ts";
import { pickDefined } from "../base/pick-defined.ts";
import {
  type PlacedTexts,
  listEscapable,
  removeDuplicateSecrets,
  findPlacedSecrets,
  findSecretsIn,
  listTextsOfRecording,
  type PlacedSecret,
  describeRecordingPlace,
} from "./searched-texts.ts";
import {
  listCredentials,
  type CarriedBy,
  type Credential,
  type NamedParameters,
  mayBeCredential,
  splitQuery,
  getParameterValue,
} from "../cassette/recorded-request.ts";
import type { Recording } from "../cassette/recording.ts";
import type { SecretsPolicy } from "../call/secrets-policy.ts";
import { findProtocol, readOperationRequest, chooseReplyFraming } from "../match/read-request.ts";
import type { ProviderTable } from "../protocol/registry.ts";
import type { Framing } from "../base/wire/framing.ts";
import { redactBody } from "./redact-body.ts";
import { findSecretsOfCall } from "./redact-call.ts";
import { BY_ITS_NAME, abbreviateSecret, type Scan, type Secret } from "./scanner.ts";

/** The project's handling of secrets. */
export interface Secrets {
  readonly policy: () => SecretsPolicy;
  /** Loads the scanner when it is first needed. */
  readonly scan: () => Promise<Scan>;
  /**
   * Removes secrets from a call if the project redacts, and parameters that it names as credentials. Undefined if calls
   * stay as they are.
   */
  readonly redact: ((call: Call) => Call) | undefined;
  /**
   * Removes secrets from the titles and the file of a call's test under every policy but `allow`, because these appear
   * in logs, reports, and recordings of other calls.
   */
  readonly redactTitles: (call: Call) => Promise<Call>;
  /** Removes secrets from a call that is shown and not recorded, under every policy but `allow`. */
  readonly hide: (call: Call) => Promise<Call>;
  /** Returns the parameters that the project names as credentials of a provider. */
  readonly named: (provider: string) => NamedParameters;
  /** Lets others have their turn: awaited before each long text is searched. */
  readonly nextTurn?: () => Promise<void>;
}

export interface RecordingToGuard {
  readonly recording: Recording;
  /** The call as it came. */
  readonly sent: Pick<Call, "path" | "body">;
  readonly framing: Framing | undefined;
}

/** The recording to write, or the reason for writing none. */
export type GuardedRecording =
  | { readonly recording: Recording; readonly texts: readonly PlacedTexts[] }
  /** `found` describes the secret and its place, without a period. */
  | { readonly found: string; readonly hint: string; readonly fails: boolean };

/** Searches a recording for secrets before it is written, and applies the project's policy. */
export async function guardRecording(guarded: RecordingToGuard, secrets: Secrets): Promise<GuardedRecording> {
  const policy = secrets.policy();
  const texts = listTextsOfRecording(guarded.recording, guarded.framing);
  if (policy === "allow") return { ...guarded, texts };
  const named = secrets.named(guarded.recording.provider);
  const scan = scanOfCall(await secrets.scan(), guarded.sent.path, named);
  const found = await searchInTurns(texts, scan, secrets);
  if (policy !== "redact") return found.length === 0 ? { ...guarded, texts } : refusal(found, policy);
  const recording = redactReply(guarded, scan, found);
  const left = recording === guarded.recording ? texts : listTextsOfRecording(recording, guarded.framing);
  const stillFound = left === texts ? found : await searchInTurns(left, scan, secrets);
  return stillFound.length === 0 ? { recording, texts: left } : refusal(stillFound, policy);
}

/** In characters. Other tasks get a turn before longer texts are searched. */
const LONG = 1_048_576;

async function searchInTurns(
  parts: readonly PlacedTexts[],
  scan: Scan,
  { nextTurn }: Pick<Secrets, "nextTurn">,
): Promise<readonly PlacedSecret[]> {
  const found: PlacedSecret[] = [];
  for (const { place, texts } of parts)
    for (const text of texts) {
      if (text.length > LONG) await nextTurn?.();
      found.push(...findPlacedSecrets([{ place, texts: [text] }], scan));
    }
  return removeDuplicateSecrets(found);
}

/**
 * Removes secrets from the reply, including those that were removed from the request before. `found`: the secrets that a
 * search of the recording found.
 */
export function redactReply(
  { recording, sent, framing }: RecordingToGuard,
  scan: Scan,
  found: readonly Secret[],
): Recording {
  const { request, reply } = recording;
  const isSentAsKept = sent.body === request.body && sent.path === request.path;
  const others = isSentAsKept ? [] : findSecretsOfCall(sent, scan);
  if (found.length === 0 && others.length === 0) return recording;
  const body = redactBody(reply.body, scan, { framing, others });
  return body === reply.body ? recording : { ...recording, reply: { ...reply, body } };
}

function refusal(found: readonly PlacedSecret[], policy: SecretsPolicy): GuardedRecording {
  const [first, ...more] = found;
  const what =
    first === undefined
      ? ""
      : localize(
          "the {0} contains what looks like {1}",
          describeRecordingPlace(first.place),
          abbreviateSecret(first),
        );
  const all = more.length === 0 ? what : localize("{0}, and {1} more", what, more.length);
  return {
    found: policy === "redact" ? localize("{0}; it cannot be redacted there", all) : all,
    hint:
      policy === "redact"
        ? localize("Remove it there and record again.")
        : localize(
            'Remove it there and record again, or configure tapedeck.jsonc: "secrets": "redact" removes secrets, and "allowSecrets" lists values that are not secrets.',
          ),
    fails: policy === "fail",
  };
}

/**
 * Returns the scan for a call. If the project names its provider's credentials, the values of its other `key` and `token`
 * parameters do not count as secrets because of their names, but can still look like secrets.
 */
export function scanOfCall(scan: Scan, path: string, named: NamedParameters): Scan {
  const others = named === undefined ? [] : (splitQuery(path)[1] ?? "").split("&").filter(mayBeCredential);
  if (others.length === 0) return scan;
  const values = new Set(others.map(getParameterValue));
  return (text) => scan(text).filter(({ kind, value }) => kind !== BY_ITS_NAME || !values.has(value));
}

/** Headers without those that hold a credential of their call, or a secret that `scan` finds. */
export function withoutSecretHeaders(
  headers: WireHeaders,
  credentials: readonly SpelledCredential[],
  scan: Scan | undefined,
): WireHeaders {
  const isSecret = (value: string): boolean =>
    credentials.some(({ spellings }) => spellings.some((spelling) => value.includes(spelling))) ||
    (scan !== undefined && findSecretsIn(listEscapable(value), scan).length > 0);
  return headers.filter(([, value]) => !isSecret(value));
}

/**
 * Returns a recording that does not come from a call, as it may be written. It is searched for secrets like a recorded
 * one, and if the project redacts, they are removed from its reply.
 * @throws TapedeckError `tapedeck_refused` that names the secret's kind and place
 */
export async function admitRecording(
  recording: Recording,
  { providers, secrets }: { readonly providers: ProviderTable; readonly secrets: Secrets },
): Promise<Recording> {
  const protocol = findProtocol(recording, providers);
  const facts = protocol.facts(readOperationRequest(recording));
  const framing = chooseReplyFraming({ protocol, facts }, recording.reply.contentType);
  const guarded = await guardRecording({ recording, sent: recording.request, framing }, secrets);
  if ("recording" in guarded) return guarded.recording;
  throw holdsSecret(guarded.found, secrets.policy() === "redact");
}

function holdsSecret(found: string, isRedacted: boolean): TapedeckError {
  return createTapedeckError("tapedeck_refused", localize("This recording was not saved: {0}.", found), {
    hint: isRedacted
      ? localize("Remove it there.")
      : localize(
          'Remove it there, or configure tapedeck.jsonc: "secrets": "redact" removes secrets, and "allowSecrets" lists values that are not secrets.',
        ),
  });
}

export interface FoundCredential {
  /** Describes its place without the credential, as a sentence without its period. */
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
export function spellCredentials(call: CarriedBy): readonly SpelledCredential[] {
  const first = new Map<string, Credential>();
  for (const credential of listCredentials(call))
    if (!first.has(credential.value)) first.set(credential.value, credential);
  return [...first.values()].map((credential) => ({
    ...credential,
    spellings: listSpellings(credential.value),
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
    message: localize(
      "the {0} contains the credential that the call sent in {1}",
      describeRecordingPlace(where),
      credentialPlaceText(found.place),
    ),
    isInItsPlace,
    ...(isInItsPlace && pickDefined({ parameter: found.parameter })),
  };
}

/** Returns the place of a credential of a call for a message. A header goes by its name. */
function credentialPlaceText(place: string): string {
  if (place === "the query") return localize("the query");
  const [, header] = /^header (.+)$/u.exec(place) ?? [];
  if (header !== undefined) return localize("header {0}", header);
  const [, field] = /^(.+) of its body$/u.exec(place) ?? [];
  return field === undefined ? place : localize("{0} of its body", field);
}

/** Returns a text as it is, without its JSON escapes, and without its URL escapes. */
function readingsOf(text: string): readonly string[] {
  const readings = [text, withoutJsonEscapes(text), withoutPercentEscapes(text)];
  return readings.filter((reading, index) => readings.indexOf(reading) === index);
}

function withoutJsonEscapes(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, unit: string | undefined, char: string) =>
    unit === undefined ? (SHORT_ESCAPES[char] ?? char) : String.fromCharCode(Number.parseInt(unit, 16)),
  );
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
  [/^csk-/, "Cerebras", ["cerebras"]],
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
export function findCredentialOfOther(
  { path, headers }: Pick<Call, "path" | "headers">,
  address: string,
): TapedeckError | undefined {
  const addressee = companyAt(address);
  if (addressee === undefined) return undefined;
  const refused = (owner: string, place: string): TapedeckError =>
    createCredentialOfAnother({ owner, place, addressee, address });
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

/** Returns the provider that an address belongs to; undefined for this machine, gateways, and other addresses. */
function companyAt(address: string): string | undefined {
  companies ??= new Map(
    PROVIDERS.flatMap(({ name, upstream }) =>
      upstream?.startsWith("https:") === true ? [[hostOf(upstream), name] as const] : [],
    ).toReversed(),
  );
  return URL.canParse(address) ? companies.get(hostOf(address)) : undefined;
}

/** Names of providers by the host of their own address. */
let companies: ReadonlyMap<string, string> | undefined;

function hostOf(address: string): string {
  return new URL(address).hostname;
}
