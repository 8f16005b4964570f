import { escapeWorkflowCommandsInJson } from "./workflow-commands.ts";

/**
 * Makes untrusted text safe to show. Invisible characters and those that change the direction of text become escapes
 * (`\u{202e}`), control characters their pictures (U+2400 and following), and other line ends "\n". Scripts and emoji
 * that need such characters keep them.
 */
export function makeVisible(text: string): string {
  if (PLAIN.test(text)) return text;
  const hasRightToLeft = hasRightToLeftIn(text);
  return text
    .replace(/\r\n?|[\u2028\u2029]/gu, "\n")
    .replace(matchPieces(), (hidden, flag: string | undefined, offset: number, whole: string) => {
      if (flag !== undefined) return flag;
      if (isControl(hidden)) return pictureOf(hidden);
      const around = { before: before(whole, offset), after: whole.slice(offset + hidden.length) };
      return belongs(hidden, around, hasRightToLeft) ? hidden : escapeOf(hidden);
    });
}

/** Makes untrusted text safe to show, in one line. */
export const makeVisibleLine = (text: string): string =>
  makeVisible(text)
    .replace(/\s{2,}|[^\S ]/gu, " ")
    .trim();

/**
 * Formats a value as JSON that is safe to show. Characters that are invisible or control a terminal or a CI system
 * become JSON escapes, so that the text still parses to the same value.
 * @param indent spaces per level; the default is a single line
 */
export function writeVisibleJson(value: unknown, indent?: number): string {
  const shown = JSON.stringify(value, undefined, indent).replace(matchHiddenInJson(), (hidden) =>
    Array.from({ length: hidden.length }, (_, index) => unitOf(hidden.charCodeAt(index))).join(""),
  );
  return escapeWorkflowCommandsInJson(shown);
}

const PLAIN = /^[\t\n\u0020-\u007e\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027]*$/u;

// The following patterns are in functions, because Node needs 1.4 ms to parse them.

/** Matches letters only, because one of the marks belongs to the Arabic script. */
const hasRightToLeftIn = (text: string): boolean =>
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u.test(
    text,
  );

/** Matches the flag of a region (a black flag, tag letters and digits, a cancel tag), or one invisible character. */
const matchPieces = (): RegExp =>
  /(\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f})|(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const matchHiddenInJson = (): RegExp =>
  /(?![\n\t])[\p{Cc}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u2028\u2029]/gu;

interface SurroundingText {
  /** Preceding code point; empty at the start of the text. */
  readonly before: string;
  /** Rest of the text. */
  readonly after: string;
}

/** Whether an invisible character has a function at its place. */
function belongs(hidden: string, { before: last, after }: SurroundingText, hasRightToLeft: boolean): boolean {
  if (MARKS.test(hidden)) return hasRightToLeft;
  if (
    hidden === ZWJ &&
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u.test(last) &&
    /^\p{Extended_Pictographic}/u.test(after)
  )
    return true;
  if (hidden === ZWJ || hidden === ZWNJ) return isJoining(last);
  if (EMOJI_STYLE.test(hidden)) return /[\p{Emoji}\p{S}]/u.test(last);
  if (VARIANT.test(hidden)) return /[\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}\p{Sm}]/u.test(last);
  return MONGOLIAN_VARIANT.test(hidden) && /\p{Script=Mongolian}/u.test(last);
}

const ZWNJ = "\u200c";
const ZWJ = "\u200d";
/** Left-to-right, right-to-left, and Arabic letter mark: their effect is that of a single letter. */
const MARKS = /[\u200e\u200f\u061c]/u;
const EMOJI_STYLE = /[\ufe0e\ufe0f]/u;
const VARIANT = /[\ufe00-\ufe0d\u{e0100}-\u{e01ef}]/u;
const MONGOLIAN_VARIANT = /[\u180b-\u180f]/u;

/** Whether joiners select the form of the letter. */
const isJoining = (letter: string): boolean =>
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mandaic}\p{Script=Adlam}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Tibetan}\p{Script=Thai}\p{Script=Lao}\p{Script=Javanese}\p{Script=Balinese}]/u.test(
    letter,
  );

function before(text: string, offset: number): string {
  return Array.from(text.slice(Math.max(0, offset - 2), offset)).at(-1) ?? "";
}

const isControl = (character: string): boolean => /\p{Cc}/u.test(character);

function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : escapeOf(control);
}

const escapeOf = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;

const unitOf = (unit: number): string => `\\u${unit.toString(16).padStart(4, "0")}`;

/** Returns a text, or its beginning and "…" if it has more characters. Cuts between code points, so that no emoji is split. */
export function cutText(text: string, most: number): string {
  // A character has one or two code units, and the text can have megabytes.
  const beginning = text.slice(0, 2 * most + 1);
  if (beginning.length <= most) return text;
  const characters = SURROGATE.test(beginning) ? Array.from(beginning) : undefined;
  if (characters !== undefined && characters.length <= most) return text;
  const kept = characters?.slice(0, most - 1).join("") ?? beginning.slice(0, most - 1);
  return `${kept.trimEnd()}…`;
}

const SURROGATE = /[\ud800-\udfff]/;
