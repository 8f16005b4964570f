import type { Call } from "../call/call.ts";
import { readFormFields } from "../cassette/form-fields.ts";
import { isMultipart } from "../base/read-body.ts";
import { findContentType, decodePercent, encodeUtf8, joinBytes, decodeUtf8 } from "../base/wire/text.ts";
import { applyEdits, planEdits, redactBody, type Edit } from "./redact-body.ts";
import { findJsonStrings } from "./json-strings.ts";
import { findSecretsIn, listTextsOfBody } from "./searched-texts.ts";
import {
  type Scan,
  type Secret,
  getSecretPlaceholder,
  mayTitleHoldSecret,
  type TitledTest,
} from "./scanner.ts";
import {
  isCredentialField,
  isCredentialMember,
  isCredentialPair,
  isNamedMember,
  type NamedParameters,
  mayHaveCredentialMember,
  mayHaveNamedMember,
  splitQuery,
  withoutParameters,
} from "../cassette/recorded-request.ts";

type PathAndBody = Pick<Call, "path" | "body">;
type Redactable = PathAndBody & Pick<Call, "headers">;

/**
 * Returns the path and body of a call as they are recorded, looked up, and shown: without secrets, including the call's
 * own credentials. They depend only on the call, so recording and lookup use the same values. Headers are never shown.
 */
export function redactPlaces(
  { path, headers, body }: Redactable,
  scan: Scan,
  named: NamedParameters,
): PathAndBody {
  const credentials: Which = {
    isField: (name) => isCredentialField(name, named),
    isMember: (names, value) => isCredentialMember(names, value, named),
    mayBeIn: (text) => mayHaveCredentialMember(text, named),
  };
  return {
    path: redactPath(withoutOwnInPath(path, named), scan),
    body: redactBody(withoutInBody(body, headers, credentials), scan),
  };
}

/** Returns the path and body of a call without the parameters that its project names as credentials. */
export function withoutNamed({ path, headers, body }: Redactable, named: NamedParameters = []): PathAndBody {
  if (named.length === 0) return { path, body };
  const which: Which = {
    isField: (name) => named.includes(name.toLowerCase()),
    isMember: (names) => isNamedMember(names, named),
    mayBeIn: (text) => mayHaveNamedMember(text, named),
  };
  return { path: withoutParameters(path, named), body: withoutInBody(body, headers, which) };
}

/** Which values of a body are taken out. */
interface Which {
  isField(name: string): boolean;
  /** `names`: on the way to a member, outermost first. */
  isMember(names: readonly string[], value: string): boolean;
  /** Whether a JSON text may have such a member. */
  mayBeIn(text: string): boolean;
}

function withoutInBody(body: Uint8Array, headers: Call["headers"], which: Which): Uint8Array {
  return withoutInJson(withoutInForm(body, findContentType(headers).contentType, which), which);
}

/** Texts that may become parts of a request, without the secrets that they say. */
export function redactTexts(texts: readonly string[], scan: Scan): readonly string[] {
  const secrets = findSecretsIn(texts, scan);
  return secrets.length === 0 ? texts : texts.map((text) => applyEdits(text, planEdits(text, secrets)));
}

/** In a path a placeholder is escaped as everything is there; so may be a secret. */
function redactPath(path: string, scan: Scan): string {
  const redact = (part: string): string => {
    const edits = planEdits(part, scan(part));
    return applyEdits(
      part,
      edits.map((edit) => ({ ...edit, by: encodeURIComponent(edit.by) })),
    );
  };
  // Decode each part separately, so that a decoded part cannot run into the next one.
  return redact(path).replaceAll(/[^/?&=]*%[^/?&=]*/g, (part) => {
    const decoded = decodePercent(part);
    const edits = planEdits(decoded, scan(decoded));
    return edits.length === 0 ? part : encodeURIComponent(applyEdits(decoded, edits));
  });
}

/** The secrets of a call, which its reply may repeat. */
export function findSecretsOfCall({ path, body }: PathAndBody, scan: Scan): readonly Secret[] {
  return findSecretsIn([path, ...listTextsOfBody(body)], scan);
}

/** Replaces any credential of a call, so that calls with different keys are equal. */
const PLACEHOLDER = getSecretPlaceholder({ kind: "credential" });

/** Returns a path without the values of parameters that are named as credentials. */
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

/** Returns a form without the values of fields that are named as credentials; the same bytes if there are none. */
function withoutInForm(body: Uint8Array, contentType: string | undefined, which: Which): Uint8Array {
  const fields = readFormFields(body, contentType).filter(
    ({ name, value }) => value !== "" && which.isField(name),
  );
  if (fields.length === 0) return body;
  const by = encodeUtf8(isMultipart(contentType) ? PLACEHOLDER : encodeURIComponent(PLACEHOLDER));
  const ends = [0, ...fields.map(({ end }) => end)];
  const pieces = fields.flatMap(({ start }, index) => [body.subarray(ends[index], start), by]);
  return joinBytes([...pieces, body.subarray(ends.at(-1))]);
}

/**
 * Returns a body of JSON, or of JSON lines, without the values of members that are named as credentials; the same bytes
 * if there are none. Other bytes are not changed. A value is removed only from its member and not from other texts: a
 * short placeholder, as replays send it, may be a word of the prompt.
 */
function withoutInJson(body: Uint8Array, which: Which): Uint8Array {
  const text = decodeUtf8(body);
  if (text === undefined || !which.mayBeIn(text)) return body;
  const edits: Edit[] = [];
  let from = 0;
  const whole = findJsonStrings(text);
  for (const line of whole === undefined ? text.split("\n") : [text]) {
    for (const { start, end, value, place } of whole ?? findJsonStrings(line) ?? [])
      if (
        place !== undefined &&
        value !== "" &&
        value !== PLACEHOLDER &&
        which.isMember(namesOf(place), value)
      )
        edits.push({ start: from + start, end: from + end, by: JSON.stringify(PLACEHOLDER) });
    from += line.length + 1;
  }
  return edits.length === 0 ? body : encodeUtf8(applyEdits(text, edits));
}

function namesOf(place: string): readonly string[] {
  return place.split("/").map((name) => name.replace(/(?:#\w+=-?\d+)+$/, ""));
}

/** A test whose titles, id, and file hold no secret; the same where they hold none. */
export function redactTest<T extends TitledTest>(test: T, scan: Scan): T {
  if (!mayTitleHoldSecret(test)) return test;
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
