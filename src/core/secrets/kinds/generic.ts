import { BY_ITS_NAME } from "../scanner.ts";
import { isCode, isName, repeats, isMadeOfWords } from "./words.ts";
import { classifyCredentialName, type CredentialClass } from "./credential-names.ts";
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
  // Also in Markdown: **API key:** `…`, | API key | … |, API key – …
  String.raw`${NAME_ENDS}(?:(?<=\$\{\w{1,80}):-|\s{0,4}(?:=>|:=|\?=|\|\||(?<=\|[^|\n]{1,80})\|(?=[ \t]{1,9}[^\s"'\[])|\?\?|[=!]?==?|[:：]|=|>|[-–—](?=\s{1,4}[^\s[])|,(?=\s{0,4}\\{0,15}["'\x60]))(?:\*\*)?[ \t]{0,4}(?:\r?\n[ \t]{0,20})?)`,
  // the field of a form, and setApiKey("…")
  String.raw`"\r\n\r\n|(?<=\b(?:set|with|use)\w{1,80})\(\s{0,4}(?=[\\"'\x60])`,
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

/** By their codes: the characters of a name other than the dots between its parts. */
const IN_PART = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const DOT = 46;
const SMALL_K = 107;

/** Returns the whole name around a noun. A noun that is a separate word includes the word before it ("API key"). */
function nameAt(text: string, at: number): Name {
  const isInPart = (place: number): boolean => IN_PART[text.charCodeAt(place)] === 1;
  const isKey = (text.charCodeAt(at) | 32) === SMALL_K && text.charCodeAt(at - 1) === 32;
  const word = isKey ? /\b[A-Za-z]{2,12} $/.exec(text.slice(Math.max(0, at - 14), at))?.[0] : undefined;
  let start = at;
  while (at - start < LONGEST_NAME && (isInPart(start - 1) || text.charCodeAt(start - 1) === DOT)) start -= 1;
  let end = at;
  while (end - at < LONGEST_NAME && (isInPart(end) || (text.charCodeAt(end) === DOT && isInPart(end + 1))))
    end += 1;
  start = word === undefined ? start : at - word.length;
  const isBehindEscape = /[nrt]/.test(text.charAt(start)) && text.charAt(start - 1) === "\\";
  if (isBehindEscape && start < at) start += 1;
  return { text: text.slice(start, end), start, end };
}

/** Names are the same ones over and over. */
const classes = new Map<string, CredentialClass | undefined>();
const MOST_CLASSES = 10_000;

function classOf(name: string): CredentialClass | undefined {
  const known = classes.get(name);
  if (known !== undefined || classes.has(name)) return known;
  if (classes.size >= MOST_CLASSES) classes.clear();
  const found = classifyCredentialName(name);
  classes.set(name, found);
  return found;
}

/** What may follow a name before its value. */
const MAY_ASSIGN = /[\s"'\x60\\*\](%):：=>,|?!]/y;
/** A short word of a sentence, which is neither a value nor a separator between a name and a value. */
const SHORT_WORD =
  /[ \t]{1,4}(?!(?:is|was|are|equals?|to|val|value|content|new|bearer|token|basic|bot|digest|splunk|key)\b)[A-Za-z]{1,7}[,.;:!?)]?(?:\s|$)/iy;

function valueOf(text: string, name: Name): string | undefined {
  if (!isAt(MAY_ASSIGN, text, name.end) || isAt(SHORT_WORD, text, name.end)) return undefined;
  const kind = classOf(name.text);
  if (kind === undefined) return undefined;
  for (const [which, operator] of OPERATORS.entries()) {
    if (!isAt(operator, text, name.end)) continue;
    const value = readValue(text, operator.lastIndex, { name, shortest: SHORTEST[kind] });
    if (value === undefined || !isSecretValue(value, kind)) continue;
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
  return /(?:^|[\s"'\\])(?:login|user|account|machine)[ \t]+(?!(?:and|or)\b)\S{1,200}[ \tn\\]+$/.test(
    text.slice(Math.max(0, start - 240), start),
  );
}

/** Whether a sticky expression matches at a place; its `lastIndex` is behind the match then. */
function isAt(shape: RegExp, text: string, at: number): boolean {
  shape.lastIndex = at;
  return shape.test(text);
}

const VALUE_SCHEME = new RegExp(SCHEME, "iy");
/** White space, quotes, and marks end a value without quotes. */
const BARE = /^[^\s"'`<>\\|]+/;
/** Settings and parameters that follow it. */
const NEXT_SETTING = /[;&,][\w. -]{1,40}[=:].*$/s;
/** The end of an address in Markdown. */
const LINK_ENDS = /\)\]?[([].*$/s;

interface WantedValue {
  readonly name: Name;
  /** In characters: shorter values are not read. */
  readonly shortest: number;
}

function readValue(text: string, from: number, rules: WantedValue): string | undefined {
  const value = writtenValue(text, from, rules);
  return value === undefined || value.length < rules.shortest ? undefined : value;
}

function writtenValue(text: string, from: number, rules: WantedValue): string | undefined {
  const opening = /^(\\{0,15})(["'`])/.exec(text.slice(from, from + 16));
  const at = skipScheme(text, from + (opening?.[0].length ?? 0));
  if (opening === null) return readBare(text, at, rules);
  const [, escapes = "", quote = '"'] = opening;
  const end = endOfQuoted(text, at, { quote, escapes: escapes.length });
  const written = text.slice(at, end);
  if (/\s/.test(written)) return undefined;
  if (escapes !== "") return written.replace(/\\+$/, "");
  return quote === '"' && written.includes("\\") ? unescapeJson(written) : written;
}

function skipScheme(text: string, at: number): number {
  return isAt(VALUE_SCHEME, text, at) ? VALUE_SCHEME.lastIndex : at;
}

function readBare(text: string, at: number, { name, shortest }: WantedValue): string | undefined {
  const [found = ""] = BARE.exec(text.slice(at, at + LONGEST_BARE)) ?? [];
  const value = found
    .replace(NEXT_SETTING, "")
    .replace(LINK_ENDS, "")
    .replace(/(?:[,;]|[)\]}]+[,;]?|(?<=\w)[.:])$/, "");
  if (value.length < shortest) return undefined;
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
    /^(?:\.{1,2}|\/(?:Users|[a-z]{3,}))\//.test(value) ||
    /^\d[\d.,:%/TZ+-]{0,22}$/.test(value) ||
    /\$\{|\(\?[:=!<]|\[\^?-?(?:\w-\w|\\+[dsw])|\p{Lo}/u.test(value)
  );
}
