import { localize } from "../../base/localize.ts";
import type { RE2JS } from "re2js";
import { explain, createWrongUsage } from "../../base/errors.ts";
import { NAMED_PATTERNS, type NamedPattern } from "./named-patterns.ts";

/** A pattern ready for use. It never backtracks: time grows with the text alone, whatever both hold. */
export interface Pattern {
  /** Replaces every match by the very text that `by` is or gives for it; long texts (see `SEARCHED`) come back as they are. */
  replaceIn(text: string, by: By): string;
}

type By = string | ((found: string) => string);

/** Compiles a pattern in RE2 syntax, or a name such as `$uuid`. @throws TapedeckError `tapedeck_usage` with the reason. */
export type CompilePattern = (source: string) => Pattern;

/** Longer texts, in UTF-16 code units, hold data (images, audio) and are compared as they are. */
const SEARCHED = 1_048_576;
const LONGEST_SOURCE = 2_000;

/**
 * Patterns whose matches contain no line break and do not depend on other lines: literals, tabs, `\d \w \S \b \B`, `.`,
 * classes, and negated classes that exclude line breaks. Other patterns may match across lines.
 */
const KEEPS_TO_A_LINE =
  /^(?:[^\\^$[(\p{Cc}]|\\(?:[dwSbBt]|[^\p{L}\p{N}\p{Cc}])|\[(?:[^\\\]^[\p{Cc}]|\\(?:[dwS]|[^\p{L}\p{N}\p{Cc}]))(?:[^\\\][\p{Cc}]|\\(?:[dwS]|[^\p{L}\p{N}\p{Cc}]))*\]|\[\^(?=(?:[^\\\][\p{Cc}]|\\.)*\\[ns])(?:[^\\\][\p{Cc}]|\\(?:[dwns]|[^\p{L}\p{N}\p{Cc}]))+\]|\(\?m:\^\)|\((?:\?(?:i?:|i\)|P<\w+>)|(?!\?)))*$/u;

/** Named patterns are compiled once. */
const knownByName = new Map<string, Pattern>();

/** The engine is loaded when the first rule needs it: most projects have none. */
export async function loadPatterns(): Promise<CompilePattern> {
  const { RE2JS } = await import("re2js");
  return (source) => {
    const before = knownByName.get(source);
    if (before !== undefined) return before;
    const named = source.startsWith("$") ? NAMED_PATTERNS[source] : undefined;
    if (named === undefined && /^\$[A-Za-z]/.test(source)) throw unknownName(source);
    if (source.length > LONGEST_SOURCE)
      throw createWrongUsage(
        localize("The pattern is longer than {0} characters.", LONGEST_SOURCE),
        localize("Write a shorter one."),
      );
    let compiled: Engine;
    try {
      compiled = RE2JS.compile(named?.source ?? source);
    } catch (error) {
      throw createWrongUsage(
        localize("The pattern {0} cannot be used: {1}.", JSON.stringify(source), explain(error)),
        syntaxHint(),
      );
    }
    if (compiled.test(""))
      throw createWrongUsage(
        localize("The pattern {0} matches the empty string.", JSON.stringify(source)),
        localize("Make it match at least one character."),
      );
    const pattern = createPattern(compiled, named?.source ?? source, named);
    if (named !== undefined) knownByName.set(source, pattern);
    return pattern;
  };
}

type Engine = ReturnType<typeof RE2JS.compile>;
type Place = readonly [start: number, end: number];

function createPattern(engine: Engine, source: string, named: NamedPattern | undefined): Pattern {
  // Whether there is a match is known many times as fast as where it is.
  const hasMatch = (text: string): boolean => named?.hint.test(text) !== false && engine.test(text);
  const isByLine = KEEPS_TO_A_LINE.test(source);
  const replaceInPiece = (piece: string, by: By): string => {
    if (!hasMatch(piece)) return piece;
    let replaced = "";
    let from = 0;
    for (const [start, end] of placesOf(engine, piece, named)) {
      replaced += piece.slice(from, start) + (typeof by === "string" ? by : by(piece.slice(start, end)));
      from = end;
    }
    return replaced + piece.slice(from);
  };
  return {
    replaceIn(text, by) {
      if (text.length > SEARCHED || !hasMatch(text)) return text;
      if (!isByLine) return replaceInPiece(text, by);
      return text
        .split("\n")
        .map((line) => replaceInPiece(line, by))
        .join("\n");
    },
  };
}

function* placesOf(engine: Engine, text: string, named: NamedPattern | undefined): Generator<Place> {
  const matcher = engine.matcher(text);
  // The sign behind a match may be the one before the next.
  for (let from = 0; matcher.find(from);) {
    const group = named === undefined ? 0 : groupIn(matcher);
    const [start, end] = [matcher.start(group), matcher.end(group)];
    if (named?.isOne?.(text.slice(start, end)) !== false) yield [start, end];
    from = end;
  }
}

/** The group of a named pattern that took part in a match; the whole match where there is none. */
function groupIn(matcher: { groupCount(): number; start(group: number): number }): number {
  for (let group = 1; group <= matcher.groupCount(); group += 1) if (matcher.start(group) >= 0) return group;
  return 0;
}

const syntaxHint = (): string =>
  localize("Patterns use RE2 syntax, without look-around and back-references.");

function unknownName(source: string): Error {
  return createWrongUsage(
    localize("There is no pattern {0}.", source),
    localize("The named patterns are {0}.", Object.keys(NAMED_PATTERNS).join(", ")),
  );
}
