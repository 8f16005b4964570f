import { explain, wrongUsage } from "../../errors.ts";

/** A pattern ready for use. It never backtracks: time grows with the text alone, whatever both hold. */
export interface Pattern {
  /** Replaces every match by the very text `by`; long texts (see `SEARCHED`) come back as they are. */
  replaceIn(text: string, by: string): string;
}

/** Makes a pattern of RE2 syntax, or of a name such as `$uuid`. @throws TapedeckError `tapedeck_usage` that says why it is none. */
export type CompilePattern = (source: string) => Pattern;

/** The usual suspects, by the names that rules call them. A `$` before a letter can match nothing, so no pattern is lost. */
export const NAMED_PATTERNS: Readonly<
  Record<string, { readonly source: string; readonly meaning: string; readonly by: string }>
> = {
  $uuid: {
    source: String.raw`\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b`,
    meaning: "UUIDs",
    by: "<uuid>",
  },
  $isoDate: {
    source: String.raw`\b\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z\b|[+-]\d{2}:?\d{2}\b)?|\b)`,
    meaning: "dates and times such as 2026-01-31 and 2026-01-31T12:00:00Z",
    by: "<date>",
  },
  $tempFolder: {
    source: String.raw`(?:/private)?/(?:tmp|var/tmp|var/folders/[^/\s"'<>]+/[^/\s"'<>]+/T)/[^/\s"'<>:,;)\]]+|[A-Za-z]:\\Users\\[^\\\s"'<>]+\\AppData\\Local\\Temp\\[^\\\s"'<>:,;)\]]+`,
    meaning: "folders for temporary files, on Linux, macOS and Windows",
    by: "<temp>",
  },
  $hexId: {
    source: String.raw`\b(?:[0-9a-f]{16,128}|[0-9A-F]{16,128})\b`,
    meaning: "hexadecimal ids of 16 digits or more: hashes, traces, commits",
    by: "<id>",
  },
};

/** Longer texts, in UTF-16 code units, hold data (images, audio) and are compared as they are. */
const SEARCHED = 1_048_576;
const LONGEST_SOURCE = 2_000;

/** The engine is loaded when the first rule needs it: most projects have none. */
export async function loadPatterns(): Promise<CompilePattern> {
  const { RE2JS } = await import("re2js");
  return (source) => {
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
    return {
      replaceIn(text, by) {
        if (text.length > SEARCHED) return text;
        const matcher = compiled.matcher(text);
        let replaced = "";
        let from = 0;
        while (matcher.find()) {
          replaced += text.slice(from, matcher.start()) + by;
          from = matcher.end();
        }
        return from === 0 ? text : replaced + text.slice(from);
      },
    };
  };
}

const SYNTAX = "Patterns are those of RE2: no look-around, no back-references.";

function unknownName(source: string): Error {
  return wrongUsage(
    `No pattern is called ${source}.`,
    `Known are ${Object.keys(NAMED_PATTERNS).join(", ")}.`,
  );
}
