import { wordChanges, type WordChange } from "../differences/word-changes.ts";
import { escapePattern } from "../../test-names.ts";
import { isCalendarWord } from "./calendar-words.ts";
import type { ReplaceRule } from "./rule.ts";

/** What two texts say that the same code made, one after the other. */
export type Varying =
  | { readonly rules: readonly Pick<ReplaceRule, "replace" | "with">[] }
  /** They say other words, or the same ones in another order: that may be another question. */
  | "words"
  | "order";

/** So much of the text around a change holds it in its place, in UTF-16 code units. */
const ANCHOR = 24;
/** Without so many letters around the changes, the rule would be about the whole text. */
const LEAST_LETTERS = 6;
/** A gap of so few signs, without blanks or letters, is a part of what changes. */
const JOINT = 2;
/** A rule has so many changes: where more are close together, what stands between them changes as well. */
const MOST_IN_RULE = 8;

const NUMBER = /^-?\d+(?:[.,]\d+)*$/;

/** Patterns for what differs, each between the words around it; undefined where nothing holds one in its place. */
export function varyingText(one: string, other: string): Varying | undefined {
  const pieces = takeChanceIn(joinTexts(joinChanges(wordChanges(one, other)).flatMap(splitCommonStart)));
  const changes = pieces.filter((piece) => typeof piece !== "string");
  if (changes.length === 0) return undefined;
  if (changes.some(saysWords)) return isReordered(one, other) ? "order" : "words";
  const letters = pieces.filter((piece) => typeof piece === "string").join("");
  if ((letters.match(/\p{L}/gu) ?? []).length < LEAST_LETTERS) return undefined;
  return { rules: cutApart(pieces).map(ruleFor) };
}

type Piece = string | WordChange;

/** With changes that only a sign or two part as one: a token is drawn as a whole. */
function joinChanges(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const [gap, before] = [all.at(-1), all.at(-2)];
    if (typeof piece === "string" || typeof gap !== "string" || typeof before !== "object") all.push(piece);
    else if (gap.length > JOINT || /[\s\p{L}]/u.test(gap)) all.push(piece);
    else {
      const change = {
        recorded: before.recorded + gap + piece.recorded,
        asked: before.asked + gap + piece.asked,
      };
      all.splice(-2, 2, change);
    }
  }
  return all;
}

/** Up to a sign within it, a token begins as the other does: `run-` of `run-4f` and `run-9a` stays. */
function splitCommonStart(piece: Piece): readonly Piece[] {
  if (typeof piece === "string") return [piece];
  const { recorded, asked } = piece;
  let length = 0;
  while (length < recorded.length && recorded[length] === asked[length]) length += 1;
  if (/\s/.test(recorded + asked) || NUMBER.test(recorded)) return [piece];
  const common = /^\P{N}*[^\p{L}\p{M}\p{N}]/su.exec(recorded.slice(0, length))?.[0] ?? "";
  const rest = { recorded: recorded.slice(common.length), asked: asked.slice(common.length) };
  return common === "" ? [piece] : [common, rest];
}

/** A change with the text before and behind it. */
interface Placed {
  readonly before: string;
  readonly change: WordChange;
  readonly after: string;
}

/** With what is a part of a change and the same in two runs by chance. */
function takeChanceIn(pieces: readonly Piece[]): readonly Piece[] {
  const all = [...pieces];
  const textAt = (index: number): string => {
    const piece = all[index];
    return typeof piece === "string" ? piece : "";
  };
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === "string") continue;
    const placed = { before: textAt(index - 1), change: piece, after: textAt(index + 1) };
    const { before, change, after } = [growBySign, growByYear, growByBar].reduce<Placed>(
      (one, grow) => grow(one),
      placed,
    );
    all[index] = change;
    if (before !== placed.before) all[index - 1] = before;
    if (after !== placed.after) all[index + 1] = after;
  }
  return all;
}

/** The sign of a number. */
function growBySign(placed: Placed): Placed {
  const isSigned = NUMBER.test(placed.change.recorded) && /(?:^|[\s([,])-$/.test(placed.before);
  return isSigned ? grown(placed, 1, 0) : placed;
}

/** The year behind a date. */
function growByYear(placed: Placed): Placed {
  const { recorded } = placed.change;
  const isDate = /\d/.test(recorded) && /\s/.test(recorded);
  return isDate ? grown(placed, 0, lengthOf(/^,? (?:19|20)\d{2}\b/, placed.after)) : placed;
}

/** A bar of signs, which grows and shrinks as a whole. */
function growByBar(placed: Placed): Placed {
  const left = lengthOf(/([^\p{L}\p{N}\s])\1{2,}$/u, placed.before);
  return grown(placed, left, lengthOf(/^([^\p{L}\p{N}\s])\1{2,}/u, placed.after));
}

const lengthOf = (pattern: RegExp, text: string): number => pattern.exec(text)?.[0].length ?? 0;

/** So many code units of the text before and behind belong to the change. */
function grown({ before, change, after }: Placed, left: number, right: number): Placed {
  const at = before.length - left;
  const whole = (text: string): string => before.slice(at) + text + after.slice(0, right);
  return {
    before: before.slice(0, at),
    change: { recorded: whole(change.recorded), asked: whole(change.asked) },
    after: after.slice(right),
  };
}

function joinTexts(pieces: readonly Piece[]): readonly Piece[] {
  const all: Piece[] = [];
  for (const piece of pieces) {
    const last = all.at(-1);
    if (typeof piece === "string" && typeof last === "string") all[all.length - 1] = last + piece;
    else all.push(piece);
  }
  return all;
}

/** Whether words of a language came or went: what a person reads as another question. */
function saysWords({ recorded, asked }: WordChange): boolean {
  const [before, after] = [wordsOf(recorded), wordsOf(asked)];
  return [...before, ...after].some((word) => before.has(word) !== after.has(word));
}

function wordsOf(text: string): ReadonlySet<string> {
  // Scripts without blanks have words of a sign.
  const words = text
    .replaceAll(/\p{sc=Han}/gu, " $& ")
    .split(/[\s"'`“”«»()[\]{}<>,;:!?|]+/u)
    .flatMap((part) => (/\d/.test(part) ? [] : [part.replaceAll(/^[.\-–]+|[.\-–]+$/g, "")]))
    .filter((part) => /^\p{L}[\p{L}\p{M}’-]*$/u.test(part))
    .filter((part) => !/\p{Ll}\p{Lu}+\p{Ll}+\p{Lu}/u.test(part) && !isCalendarWord(part));
  return new Set(words);
}

function isReordered(one: string, other: string): boolean {
  const sortWords = (text: string): string => (text.match(/[\p{L}\p{N}_]+/gu) ?? []).toSorted().join(" ");
  return sortWords(one) === sortWords(other);
}

/** Pieces from one anchor to another: what stands close together is one pattern. */
function cutApart(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const all: Piece[][] = [];
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece !== "string") {
      const before = pieces[index - 1] ?? "";
      const last = all.at(-1);
      const isNear = last !== undefined && typeof before === "string" && before.length <= 2 * ANCHOR;
      if (isNear && last.length < 2 * MOST_IN_RULE) last.push(before, piece);
      else all.push([typeof before === "string" ? tail(before) : "", piece]);
    }
  }
  return all.map((near) => {
    const next = pieces[pieces.indexOf(near.at(-1) ?? "") + 1] ?? "";
    return [...near, typeof next === "string" ? head(next) : ""];
  });
}

/** From and to a whole word, where there is one. */
function tail(text: string): string {
  if (text.length <= ANCHOR) return text;
  const end = text.slice(-ANCHOR);
  return /\s(\S[\s\S]*)$/u.exec(end)?.[1] ?? end;
}

function head(text: string): string {
  if (text.length <= ANCHOR) return text;
  const start = text.slice(0, ANCHOR);
  return /^([\s\S]*\S)\s/u.exec(start)?.[1] ?? start;
}

function ruleFor(pieces: readonly Piece[]): Pick<ReplaceRule, "replace" | "with"> {
  const parts = pieces.map((piece) =>
    typeof piece === "string" ? escapePattern(piece).replaceAll("\n", String.raw`\n`) : shapeOf(piece),
  );
  const said = pieces.map((piece) => (typeof piece === "string" ? piece : "<varies>"));
  const [start, end] = [pieces[0] === "" ? "^" : "", pieces.at(-1) === "" ? "$" : ""];
  return { replace: `${start}${parts.join("")}${end}`, with: said.join("") };
}

/**
 * A number where both are; else what has no blank in it, where neither has one; else letters, digits and the signs that
 * were seen, up to a length: it is to end somewhere.
 */
function shapeOf({ recorded, asked }: WordChange): string {
  const least = recorded === "" || asked === "" ? 0 : 1;
  if (NUMBER.test(recorded) && NUMBER.test(asked)) return String.raw`-?\d[\d.,]*`;
  const text = recorded + asked;
  if (!/\s/.test(text)) return least === 0 ? String.raw`\S*` : String.raw`\S+`;
  const signs = new Set(["<", ">", ",", ".", ":", ...(text.match(/[^\p{L}\p{M}\p{N}\s]/gu) ?? [])]);
  const shown = Array.from(signs, (sign) => (/[\\\]^[-]/.test(sign) ? `\\${sign}` : sign));
  return String.raw`[\p{L}\p{M}\p{N}\s${shown.toSorted().join("")}]{${least},${longest(text)}}`;
}

/** Twice as much as was seen, as a power of two. */
const longest = (text: string): number => Math.min(512, 2 ** Math.ceil(Math.log2(Math.max(16, text.length))));
