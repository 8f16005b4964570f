import { classifyCredentialName } from "./credential-names.ts";

/**
 * The letters that often follow each letter in words: the first of each group, then its followers. Counted over the
 * words of technical documentation; nine of ten words have no other pair, hardly any random text of eight letters.
 */
const PAIRS = (
  "aabcdefgiklmnprstuvwxy babcdefilorsuy cabcdefhiklorstuy dabcdefgilorsu eabcdefghiklmnopqrstuvwxy fabcdefilorstuy " +
  "gaeghilnorsu haeimorstuy iabcdefgklmnoprstvxz jaeosu kaeiosu labcdeilopstuvy mabeilmopsu nabcdefgiklmnoprstuvy " +
  "oabcdefgiklmnoprstuvwx paehiloprstuy qu rabcdefgiklmnoprstuvy sacdefhiklmnopstuwy tacdefhilmoprstuwy " +
  "uabcdefgilmnprst vaeio waehinors xceipt yaeilmnopst zaei"
).split(" ");
const FREQUENT = new Set(
  PAIRS.flatMap((group) => Array.from(group.slice(1), (next) => `${group.charAt(0)}${next}`)),
);

/** A name of code: words with capitals, an abbreviation in front of or behind them. */
const CAMEL =
  /^(?:[A-Z]{2,5}(?=[A-Z][a-z])|[a-z]{2,}|[A-Z][a-z]{2,})(?:[A-Z][a-z]{2,}|[A-Z]{2,4}(?=[A-Z][a-z]))*(?:[A-Z]{2,3})?$/;
/** The same with words of two letters, and one number between words. */
const LONG_CAMEL =
  /^(?:[A-Z]{1,5}(?=[A-Z][a-z])|[A-Z]?[a-z]+)(?:[A-Z][a-z]+|[A-Z]{2,4}(?=[A-Z][a-z]))*[A-Z]{0,3}(?:\d{1,5}[A-Z]?[a-z]+(?:[A-Z][a-z]+)*[A-Z]{0,3})?$/;
/** Minimum characters of a name that may contain two-letter words and a number. */
const LONG = 14;
/** In characters: random text of this length does not look like words, even if a few rare letter pairs are allowed. */
const LONGEST_BY_CHANCE = 22;
/** A long name may have one rare pair of letters for each 7 characters. */
const LETTERS_OF_RARE_PAIR = 7;
/** In letters: shorter words may be abbreviations. */
const SHORTEST_WORD = 5;

/**
 * Whether a text consists of words and small numbers, joined by dots, dashes, underscores, and other signs between
 * words: a name, a path, a version, a date, a list. A value that was made at random does not.
 */
export function isMadeOfWords(text: string): boolean {
  return text
    .replaceAll(/^[({[<@$%._/:-]+|[)}\]>.:;,=_-]+$/g, "")
    .split(/[._/:|,[\](){}=?-]|%[\dA-F]{2}/)
    .every(isWordOrNumber);
}

/** Whether a text is an expression of code: words joined by any signs, one of them a long one. */
export function isExpression(text: string): boolean {
  const parts = text.split(/[^A-Za-z0-9]+/);
  return parts.some((part) => /[a-z]{5}/i.test(part)) && parts.every(isWordOrNumber);
}

function isWordOrNumber(part: string): boolean {
  if (/^\d{0,8}$/.test(part) || /^\d{1,4}[A-Za-z]{1,2}$/.test(part)) return true;
  const [, letters = ""] = /^([A-Za-z]+)\d{0,4}$/.exec(part) ?? [];
  if (letters !== "" && letters.length < SHORTEST_WORD)
    return /^(?:[a-z]+|[A-Z][a-z]*|[A-Z]+)$/.test(letters);
  const isOneCase =
    letters !== "" && (letters === letters.toLowerCase() || letters === letters.toUpperCase());
  const isLong = part.length >= LONG;
  if (!isOneCase && !(isLong ? LONG_CAMEL : CAMEL).test(part.replace(/\d{0,4}$/, ""))) return false;
  const words =
    letters === letters.toUpperCase() && letters !== "" ? [letters] : part.split(/\d+|(?=[A-Z][a-z])/);
  const rare = words.reduce((sum, word) => sum + rarePairs(word), 0);
  const mayHaveRare = part.length >= LONGEST_BY_CHANCE || (isLong && !isOneCase && CAMEL.test(part));
  return rare <= (mayHaveRare ? Math.floor(part.length / LETTERS_OF_RARE_PAIR) : 0);
}

function rarePairs(letters: string): number {
  const word = letters.toLowerCase();
  let rare = 0;
  for (let at = 1; at < word.length; at += 1) if (!FREQUENT.has(word.slice(at - 1, at + 1))) rare += 1;
  return rare;
}

/** Text before a name that is declared or assigned in code. Strings in code are in quotes. */
const DECLARES =
  /(?:^|[^\w.-]|\\[nrt])(?:const|let|var|val|final|return|await|class|interface|type|import)\s+$/;
const MEMBER = /^(?:this|self|exports|module\.exports)\./;
/** `name(` and `object.member`, also `object?.member`, without digits in them. */
const CALL = /^[A-Za-z_$][A-Za-z_$.?#]{4,80}\(/;
const PATH = /^[A-Za-z_$]+(?:\??\.[A-Za-z_$]{2,40})+(?![\w@])/;
const CALL_WITHOUT_ARGUMENTS = /^[A-Za-z_].*\(\)?[;,.]*$/;
const INDEXED = /^[A-Za-z_.]{2,40}\[/;
/** The name of a variable, or of a type such as `Uint8Array`. */
const IDENTIFIER = /^[A-Za-z_$]+$|^[A-Z][a-z]+\d{1,2}[A-Z][a-z]+$/;

/** A value without quotes, and the text around it. */
export interface BareValue {
  readonly value: string;
  /** The value with the punctuation that directly follows it. */
  readonly written: string;
  /** The text before the name, back to at least the start of its line. */
  readonly before: string;
  readonly name: string;
}

/** Whether a value without quotes is an expression of code: a call, a member, a type, another variable. */
export function isCode({ value, written, before, name }: BareValue): boolean {
  if (MEMBER.test(name) || DECLARES.test(before)) return true;
  if ([CALL, PATH, CALL_WITHOUT_ARGUMENTS, INDEXED].some((shape) => shape.test(written))) return true;
  if (IDENTIFIER.test(value) && (written === `${value},` || repeats(value, name))) return true;
  const [called = ""] = /^[\w.#$?]{3,80}(?=[([{])/.exec(written) ?? [];
  return isExpression(called) || isExpression(value);
}

const lettersOf = (text: string): string => text.replaceAll(/[^A-Za-z\d]/g, "").toLowerCase();

/** Whether a value consists of letters that its name has as well, e.g. `TOKEN_EXPIRED = "token-expired"`. */
export function repeats(value: string, name: string): boolean {
  return !/\d/.test(value) && lettersOf(name).includes(lettersOf(value));
}

/** The name of a constant or a variable: `access_token`, `RESOURCE_EXHAUSTED`, `settings.apiKey`. */
export function isName(value: string): boolean {
  if (/^(?:[A-Z]+\d{0,2}(?:_[A-Z]+\d{0,2})+|[a-z]+(?:[_-][a-z]+){2,})$/.test(value)) return true;
  const isPath = /^[A-Za-z_$]\w*(?:\??\.[A-Za-z_$]\w*)+$/.test(value);
  return (
    (isPath || /^[A-Za-z]+(?:[_.-][A-Za-z]+)+$/.test(value)) && classifyCredentialName(value) !== undefined
  );
}
