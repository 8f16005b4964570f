import { BY_ITS_NAME } from "../scanner.ts";
import { isCode, isName, repeats, isMadeOfWords } from "./words.ts";
import { credentialClass, type CredentialClass } from "./credential-names.ts";
import { isPlaceholder, type ReadKind } from "./kind.ts";

/** One of them is in each name of a credential. */
const NOUNS = ["pass", "pwd", "psw", "secret", "token", "credential", "auth", "key", "jwt", "_pw", "_pat"];

/** Longest name that is looked at. */
const LONGEST_NAME = 80;
const LONGEST_VALUE = 4_096;
const LONGEST_BARE = 1_024;
/** In characters: what the value of each has at least. */
const SHORTEST: Readonly<Record<CredentialClass, number>> = { password: 8, key: 16 };

const ESCAPED_QUOTE = String.raw`\\{0,15}["'\x60]`;
/** The end of a name: quotes, an index of a list, an XML or Markdown mark. */
const NAME_ENDS = String.raw`(?:${ESCAPED_QUOTE}|\*\*)?[\])]?`;
/** A call around the value, e.g. `SecretStr("…")`, and prefixes of a string in code. */
const STRING_BEGINS = String.raw`(?:(?:new\s)?[A-Za-z_][\w.]{0,40}\(\s{0,4}|[rbuf@$]{1,2})?`;
/** Words of an authorization before its value. */
const SCHEME = String.raw`(?:(?:bearer|token|basic|bot|digest|splunk|geniekey|api[-_]?key|key|sso-key)[ :=]{1,3})?`;

const OPERATORS = [
  // api_key: str = "…", String apiKey = "…"
  String.raw`${NAME_ENDS}\s{0,3}:\s{0,3}[A-Za-z][\w.[\]| ]{0,40}?\s{0,3}=\s{0,3}(?=[\\"'\x60])`,
  String.raw`${NAME_ENDS}(?:(?<=\$\{\w{1,80}):-|\s{0,4}(?:=>|:=|\?=|\|\||\?\?|[=!]?==?|:|=|>|,(?=\s{0,4}\\{0,15}["'\x60]))[ \t]{0,4}(?:\r?\n[ \t]{0,20})?)`,
  String.raw`${NAME_ENDS}(?:%3D|%3A)`,
  // {"name": "API_KEY", "value": "…"}, and the same in XML and YAML
  String.raw`${ESCAPED_QUOTE}?\s{0,40},?\s{0,40}(?:${ESCAPED_QUOTE}|\*)?(?:value|val|content)(?:${ESCAPED_QUOTE})?\s{0,4}[:=]\s{0,4}`,
  // variable "api_key" { default = "…" }
  String.raw`${ESCAPED_QUOTE}\s{0,4}\{[^{}]{0,200}?default\s{0,9}=\s{0,4}`,
  // The password is …
  String.raw`${NAME_ENDS}\s(?:is|was|are|equals?|to)(?::\s?|\s)`,
  // --password …, setx API_KEY …, login a password …
  String.raw`${NAME_ENDS}[ \t]{1,4}`,
].map((operator) => new RegExp(`${operator}(?:${STRING_BEGINS}(?=[\\\\"'\\x60]))?`, "iy"));
const AFTER_SPACE = OPERATORS.length - 1;
const IN_SENTENCE = AFTER_SPACE - 1;

/** Values that the name before them calls secret: their length and alphabet decide, not their entropy. */
export const valuesByName: ReadKind = {
  kind: BY_ITS_NAME,
  keywords: NOUNS,
  read(text, at) {
    const name = nameAt(text, at);
    const value = valueOf(text, name);
    return value === undefined ? { end: name.end } : { end: name.end, value };
  },
};

interface Name {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The characters of a name, by their codes. */
const NAME = new Set(
  Array.from({ length: 128 }, (_, code) => code).filter((code) => /[\w.-]/.test(String.fromCharCode(code))),
);

/** Returns the whole name around a noun. A noun that is a separate word includes the word before it ("API key"). */
function nameAt(text: string, at: number): Name {
  const isKey = /^key/i.test(text.slice(at, at + 3));
  const word = isKey ? /\b[A-Za-z]{2,12} $/.exec(text.slice(Math.max(0, at - 14), at))?.[0] : undefined;
  let start = at;
  while (at - start < LONGEST_NAME && NAME.has(text.charCodeAt(start - 1))) start -= 1;
  const found = word ?? text.slice(start, at);
  const isBehindEscape = /^[nrt]/.test(found) && text.charAt(at - found.length - 1) === "\\";
  const before = isBehindEscape ? found.slice(1) : found;
  const rest = /^[\w-]*(?:\.[\w-]+)*/.exec(text.slice(at, at + LONGEST_NAME))?.[0] ?? "";
  return { text: before + rest, start: at - before.length, end: at + rest.length };
}

/** Names are the same ones over and over. */
const classes = new Map<string, CredentialClass | undefined>();
const MOST_CLASSES = 10_000;

function classOf(name: string): CredentialClass | undefined {
  const known = classes.get(name);
  if (known !== undefined || classes.has(name)) return known;
  if (classes.size >= MOST_CLASSES) classes.clear();
  const found = credentialClass(name);
  classes.set(name, found);
  return found;
}

function valueOf(text: string, name: Name): string | undefined {
  const kind = classOf(name.text);
  if (kind === undefined) return undefined;
  for (const [which, operator] of OPERATORS.entries()) {
    operator.lastIndex = name.end;
    if (!operator.test(text)) continue;
    const value = readValue(text, operator.lastIndex, name);
    if (value === undefined || value.length < SHORTEST[kind] || !isSecretValue(value, kind)) continue;
    if (which === IN_SENTENCE && /^[a-z]+$/.test(value)) continue;
    if (repeats(value, text.slice(Math.max(0, name.start - LONGEST_NAME), name.end))) continue;
    const isClear = which < AFTER_SPACE || isFollowedBySpace(text, name);
    if (isClear || /^(?=.*\d.*\d)(?=.*[A-Za-z])[\w+/=-]{20,}$/.test(value)) return value;
  }
  return undefined;
}

/** Whether no sign needs to be between a name and its value: options, and files of lines of words. */
function isFollowedBySpace(text: string, { text: name, start }: Name): boolean {
  if (/^--?[A-Za-z]/.test(name) || /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(name)) return true;
  return /(?:^|[\s"'\\])(?:login|user|account|machine)[ \t]+\S{1,200}[ \tn\\]+$/.test(
    text.slice(Math.max(0, start - 240), start),
  );
}

const VALUE_SCHEME = new RegExp(SCHEME, "iy");
/** White space, quotes, and marks end a value without quotes. */
const BARE = /^[^\s"'`<>\\|]+/;
/** Settings and parameters that follow it. */
const NEXT_SETTING = /[;&,][\w. -]{1,40}[=:].*$/s;
/** The end of an address in Markdown. */
const LINK_ENDS = /\)\]?[([].*$/s;

function readValue(text: string, from: number, name: Name): string | undefined {
  const opening = /^(\\{0,15})(["'`])/.exec(text.slice(from, from + 16));
  const at = skipScheme(text, from + (opening?.[0].length ?? 0));
  if (opening === null) return readBare(text, at, name);
  const [, escapes = "", quote = '"'] = opening;
  const end = endOfQuoted(text, at, { quote, escapes: escapes.length });
  const written = text.slice(at, end);
  if (/\s/.test(written)) return undefined;
  if (escapes !== "") return written.replace(/\\+$/, "");
  return quote === '"' && written.includes("\\") ? unescapeJson(written) : written;
}

function skipScheme(text: string, at: number): number {
  VALUE_SCHEME.lastIndex = at;
  return VALUE_SCHEME.test(text) ? VALUE_SCHEME.lastIndex : at;
}

function readBare(text: string, at: number, name: Name): string | undefined {
  const [found = ""] = BARE.exec(text.slice(at, at + LONGEST_BARE)) ?? [];
  const value = found
    .replace(NEXT_SETTING, "")
    .replace(LINK_ENDS, "")
    .replace(/(?:[,;]|[)\]}]+[,;]?|(?<=\w)[.:])$/, "");
  const before = text.slice(Math.max(0, name.start - LONGEST_NAME), name.start);
  return isCode({ value, written: found, before, name: name.text }) ? undefined : value;
}

/** Where a quoted value ends: before the quote that has as many escapes as the first one, or where the text is cut. */
function endOfQuoted(
  text: string,
  from: number,
  { quote, escapes }: { quote: string; escapes: number },
): number {
  const most = Math.min(text.length, from + LONGEST_VALUE);
  for (let at = text.indexOf(quote, from); at >= 0 && at <= most; at = text.indexOf(quote, at + 1)) {
    let before = at;
    while (before > from && text.charAt(before - 1) === "\\") before -= 1;
    const own = at - before;
    if (escapes === 0 ? own % 2 === 0 : own <= escapes) return at - Math.min(own, escapes);
  }
  return most;
}

function unescapeJson(written: string): string {
  try {
    return JSON.parse(`"${written}"`) as string;
  } catch {
    return written;
  }
}

const hasLetterAndDigit = (value: string): boolean => /\d/.test(value) && /[a-z]/i.test(value);

function isSecretValue(value: string, kind: CredentialClass): boolean {
  if (/EXAMPLE(?:KEY)?$/.test(value) || isPlaceholder(value) || isReference(value) || isName(value))
    return false;
  if (isMadeOfWords(value)) return false;
  return kind === "password" || hasLetterAndDigit(value) || /^[\w+/=-]{16,}$/.test(value);
}

/** An address, a path, a number, a template, a regular expression, prose of a script without cases. */
function isReference(value: string): boolean {
  return (
    /^(?:[a-z][a-z\d+.-]{1,20}:\/\/|(?:data|urn|arn|sha\d{1,3}|projects):)/i.test(value) ||
    /^\/(?:Users|[a-z]{3,})\//.test(value) ||
    /^\d[\d.,:%/TZ+-]{0,22}$/.test(value) ||
    /\$\{|\(\?[:=!<]|\[\^?-?(?:\w-\w|\\+[dsw])|\p{Lo}/u.test(value)
  );
}
