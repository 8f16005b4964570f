import type { Call } from "../call.ts";
import { formFields } from "../cassette/form-fields.ts";
import { isMultipart } from "../match/key/read-body.ts";
import { contentTypeOf } from "../wire/content-type.ts";
import { percentDecoded } from "../wire/percent.ts";
import { textOf, bytesOf, joinBytes, utf8 } from "../wire/text.ts";
import { redactRepeatedly, withoutEncoded } from "./redact-body.ts";
import { applyEdits, editsOf, type Edit } from "./edits.ts";
import { finish, type Steps } from "../steps.ts";
import { searchIn, secretsIn } from "./readings.ts";
import { type Scan, type Secret, placeholderOf, titleMayHoldSecret, type TitledTest } from "./scanner.ts";
import {
  isCredentialField,
  isCredentialMember,
  isCredentialPair,
  isNamedMember,
  type NamedParameters,
  mayHaveCredentialMember,
  mayHaveNamedMember,
} from "../cassette/credentials.ts";
import { splitQuery, withoutParameters } from "../cassette/secrets.ts";
import { placedLiterals, type PlacedLiteral } from "./placed-literals.ts";
import { isJsonText } from "./string-literals.ts";

/**
 * A call as it is kept, looked up and shown: without the secrets of its path and body, its own credentials among them.
 * It depends on nothing but the call, so that recording and looking up see the same. Headers stay: nobody sees them.
 */
export function* redactCallIn(call: Call, scan: Scan, named?: NamedParameters): Steps<Call> {
  const { path, body } = yield* shownPlacesIn(call, scan, named);
  return path === call.path && body === call.body ? call : callWith(call, { path, body });
}

/** The path and body of a call without its secrets. */
export function redactPlaces(call: Redactable, scan: Scan, named?: NamedParameters): PathAndBody {
  return finish(redactPlacesIn(call, scan, named));
}

function* shownPlacesIn(call: Redactable, scan: Scan, named: NamedParameters): Steps<PathAndBody> {
  const seen: Seen = { encoded: [] };
  const { path, body } = yield* redactPlacesIn(call, scan, named, seen);
  return { path, body: seen.encoded.length === 0 ? body : yield* withoutEncoded(body, scan) };
}

/** What the last look at a body found. */
interface Seen {
  encoded: readonly Secret[];
}

type PathAndBody = Pick<Call, "path" | "body">;
type Redactable = PathAndBody & Pick<Call, "headers">;

function* redactPlacesIn(
  call: Redactable,
  scan: Scan,
  named: NamedParameters,
  seen?: Seen,
): Steps<PathAndBody> {
  const { path, body } = yield* withoutOwnIn(call, named);
  return { path: redactText(path, scan), body: yield* redactBodyOf(body, scan, seen) };
}

function* withoutOwnIn({ path, headers, body }: Redactable, named: NamedParameters): Steps<PathAndBody> {
  const own: Which = {
    isField: (name) => isCredentialField(name, named),
    isMember: (names, value) => isCredentialMember(names, value, named),
    mayBeIn: (text) => mayHaveCredentialMember(text, named),
  };
  return { path: withoutOwnInPath(path, named), body: yield* withoutInBody(body, headers, own) };
}

/** The path and body of a call without what its project names as credentials, whatever that looks like. */
export function withoutNamed({ path, headers, body }: Redactable, named: NamedParameters = []): PathAndBody {
  if (named.length === 0) return { path, body };
  const which: Which = {
    isField: (name) => named.includes(name.toLowerCase()),
    isMember: (names) => isNamedMember(names, named),
    mayBeIn: (text) => mayHaveNamedMember(text, named),
  };
  return { path: withoutParameters(path, named), body: finish(withoutInBody(body, headers, which)) };
}

/** Which values of a body are taken out. */
interface Which {
  isField(name: string): boolean;
  /** `names`: on the way to a member, outermost first. */
  isMember(names: readonly string[], value: string): boolean;
  /** Whether a JSON text may have such a member. */
  mayBeIn(text: string): boolean;
}

function* withoutInBody(body: Uint8Array, headers: Call["headers"], which: Which): Steps<Uint8Array> {
  return yield* withoutInJson(withoutInForm(body, contentTypeOf(headers).contentType, which), which);
}

/** A request's body without its secrets. */
export const redactRequest = (body: Uint8Array, scan: Scan): Uint8Array => finish(redactBodyOf(body, scan));

function* redactBodyOf(body: Uint8Array, scan: Scan, seen?: Seen): Steps<Uint8Array> {
  return yield* redactRepeatedly(body, function* (left) {
    const { plain, encoded } = yield* searchIn(textOf(left), scan);
    if (seen !== undefined) seen.encoded = encoded;
    return plain;
  });
}

/** Texts that may become parts of a request, without the secrets that they say. */
export function redactTexts(texts: readonly string[], scan: Scan): readonly string[] {
  const { plain } = secretsIn(texts, scan);
  return plain.length === 0 ? texts : texts.map((text) => applyEdits(text, editsOf(text, plain)));
}

/**
 * The same call with another path and body, and maybe for another provider or of another test. Members of a call may be
 * getters of its class, so it is never spread: each member is read here, and `signal` only when somebody asks for it.
 */
export function callWith(
  call: Call,
  {
    path,
    body,
    provider = call.provider,
    test = call.test,
  }: Pick<Call, "path" | "body"> & Partial<Pick<Call, "provider" | "test">>,
): Call {
  const { method, headers, run, token, origin, cassette } = call;
  return {
    provider,
    method,
    path,
    headers,
    body,
    get signal() {
      return call.signal;
    },
    run,
    ...(token !== undefined && { token }),
    ...(origin !== undefined && { origin }),
    ...(test !== undefined && { test }),
    ...(cassette !== undefined && { cassette }),
  };
}

/** In a path a placeholder is escaped as everything is there; so may be a secret. */
function redactText(path: string, scan: Scan): string {
  const { plain, encoded } = secretsIn(path, scan);
  const edits = editsOf(path, plain);
  const left = applyEdits(
    path,
    edits.map((edit) => ({ ...edit, by: encodeURIComponent(edit.by) })),
  );
  return encoded.length === 0
    ? left
    : left.replaceAll(/[^/?&=]+/g, (part) => (part.includes("%") ? redactPart(part, scan) : part));
}

/** A part of a path by itself: undone, one that is next to it would go on in it. What is escaped need not have to be. */
function redactPart(part: string, scan: Scan): string {
  const said = percentDecoded(part);
  const edits = editsOf(said, secretsIn(said, scan).plain);
  return edits.length === 0 ? part : encodeURIComponent(applyEdits(said, edits));
}

/** All that a call says that is not to be written, for its reply to be searched for as well. */
export function* secretsOfCall(
  { path, body }: Pick<Call, "path" | "body">,
  scan: Scan,
): Steps<readonly Secret[]> {
  return [...secretsIn(path, scan).plain, ...(yield* searchIn(textOf(body), scan)).plain];
}

/** Stands where the call's own credential stood, whatever it was: with another key the call is the same. */
const PLACEHOLDER = placeholderOf({ kind: "credential" });

/** A path and query without the credentials that stand in it by the names of its parameters. */
function withoutOwnInPath(path: string, named: NamedParameters): string {
  const [pathname, query] = splitQuery(path);
  if (query === undefined) return path;
  const pairs = query.split("&").map((pair) => {
    const [name] = pair.split("=", 1);
    return isCredentialPair(pair, named) && pair !== name
      ? `${name}=${encodeURIComponent(PLACEHOLDER)}`
      : pair;
  });
  return `${pathname}?${pairs.join("&")}`;
}

/** A form without the credentials that stand in it by the names of its fields; the same bytes where there is none. */
function withoutInForm(body: Uint8Array, contentType: string | undefined, which: Which): Uint8Array {
  const fields = formFields(body, contentType).filter(
    ({ name, value }) => value !== "" && which.isField(name),
  );
  if (fields.length === 0) return body;
  const by = bytesOf(isMultipart(contentType) ? PLACEHOLDER : encodeURIComponent(PLACEHOLDER));
  const ends = [0, ...fields.map(({ end }) => end)];
  const pieces = fields.flatMap(({ start }, index) => [body.subarray(ends[index], start), by]);
  return joinBytes([...pieces, body.subarray(ends.at(-1))]);
}

/**
 * A JSON body, or one of JSON lines, without the credentials that stand in it by the names of its members, all else byte
 * for byte; the same bytes where there is none. A value is taken out by its place and not wherever it stands: a short
 * placeholder, as replaying has it, may be a word of the prompt.
 */
function* withoutInJson(body: Uint8Array, which: Which): Steps<Uint8Array> {
  const text = utf8(body);
  if (text === undefined || !which.mayBeIn(text)) return body;
  const edits: Edit[] = [];
  let from = 0;
  for (const value of isJsonText(text) ? [text] : text.split("\n")) {
    for (const literal of yield* placedLiterals(value))
      if (isOne(literal, which))
        edits.push({ start: from + literal.start, end: from + literal.end, by: JSON.stringify(PLACEHOLDER) });
    from += value.length + 1;
  }
  return edits.length === 0 ? body : bytesOf(applyEdits(text, edits));
}

function isOne({ value, place }: PlacedLiteral, which: Which): boolean {
  return value !== "" && value !== PLACEHOLDER && which.isMember(namesOf(place), value);
}

function namesOf(place: string): readonly string[] {
  return place.split("/").map((name) => name.replace(/(?:#\w+=-?\d+)+$/, ""));
}

/** A test whose titles, id, and file hold no secret; the same where they hold none. */
export function redactTest<T extends TitledTest>(test: T, scan: Scan): T {
  if (!titleMayHoldSecret(test)) return test;
  const { name, joined, id, file } = test;
  const texts = [joined ?? "", id ?? "", file ?? "", ...name];
  const redacted = redactTexts(texts, scan);
  if (redacted.every((text, at) => text === texts[at])) return test;
  const [joinedNow, idNow, fileNow, ...nameNow] = redacted;
  return {
    ...test,
    name: nameNow,
    ...(joined !== undefined && { joined: joinedNow }),
    ...(id !== undefined && { id: idNow }),
    ...(file !== undefined && { file: fileNow }),
  };
}
