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
/** In characters, from where words of two letters and a number may be within a name. */
const LONG = 14;
/** In characters: chance makes nothing of this length that looks like words but for a few pairs of letters. */
const LONGEST_BY_CHANCE = 22;
/** In letters: one in so many pairs of a long name may be a rare one. */
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
