import { explain, wrongUsage } from "../../errors.ts";
import { NAMED_PATTERNS } from "./named-patterns.ts";

/** A pattern ready for use. It never backtracks: time grows with the text alone, whatever both hold. */
export interface Pattern {
  /** Replaces every match by the very text that `by` is or gives for it; long texts (see `SEARCHED`) come back as they are. */
  replaceIn(text: string, by: string | ((found: string) => string)): string;
}

/** Makes a pattern of RE2 syntax, or of a name such as `$uuid`. @throws TapedeckError `tapedeck_usage` that says why it is none. */
export type CompilePattern = (source: string) => Pattern;

/** Longer texts, in UTF-16 code units, hold data (images, audio) and are compared as they are. */
const SEARCHED = 1_048_576;
const LONGEST_SOURCE = 2_000;

/** Every miss tries them all; other patterns come once. */
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
      throw wrongUsage(`The pattern is longer than ${LONGEST_SOURCE} characters.`, "Write a shorter one.");
    let compiled: ReturnType<typeof RE2JS.compile>;
    try {
      compiled = RE2JS.compile(named?.source ?? source);
    } catch (error) {
      throw wrongUsage(`The pattern ${JSON.stringify(source)} cannot be used: ${explain(error)}.`, SYNTAX);
    }
    if (compiled.matcher("").find())
      throw wrongUsage(
        `The pattern ${JSON.stringify(source)} matches the empty text, which is everywhere.`,
        "Let it match one character at least.",
      );
    const pattern: Pattern = {
      replaceIn(text, by) {
        if (text.length > SEARCHED || named?.hint.test(text) === false) return text;
        const matcher = compiled.matcher(text);
        let replaced = "";
        let from = 0;
        while (matcher.find()) {
          const group = named === undefined ? 0 : groupIn(matcher);
          const [start, end] = [matcher.start(group), matcher.end(group)];
          if (named?.isOne?.(text.slice(start, end)) === false) continue;
          replaced += text.slice(from, start) + (typeof by === "string" ? by : by(text.slice(start, end)));
          from = end;
        }
        return from === 0 ? text : replaced + text.slice(from);
      },
    };
    if (named !== undefined) knownByName.set(source, pattern);
    return pattern;
  };
}

/** The group of a named pattern that took part in a match; the whole match where there is none. */
function groupIn(matcher: { groupCount(): number; start(group: number): number }): number {
  for (let group = 1; group <= matcher.groupCount(); group += 1) if (matcher.start(group) >= 0) return group;
  return 0;
}

const SYNTAX = "Patterns are those of RE2: no look-around, no back-references.";

function unknownName(source: string): Error {
  return wrongUsage(
    `No pattern is called ${source}.`,
    `Known are ${Object.keys(NAMED_PATTERNS).join(", ")}.`,
  );
}
