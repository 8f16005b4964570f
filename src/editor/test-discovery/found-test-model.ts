import { escapePattern } from "../../core/test-names.ts";

/** A test or suite as its source text declares it. Lines and columns are 1-based. */
export interface FoundTest {
  readonly kind: "test" | "suite";
  /** As a person reads it; parts that only a run knows stand as their source, e.g. `adds ${a}`. */
  readonly title: string;
  /** Titles of the suites around it and its own, outermost first. */
  readonly path: readonly string[];
  /** For each title in `path`: a regular expression's source where only a run knows it, else null. */
  readonly patterns: readonly (string | null)[];
  /** Where the call (JavaScript) or the `def` or `class` (Python) begins. */
  readonly line: number;
  /** Where it begins with its decorators; otherwise the same as `line`. */
  readonly firstLine: number;
  readonly endLine: number;
  readonly column: number;
  /** Python: what pytest puts behind the file, `Class::test_x`, without parameters. */
  readonly id?: string;
  /** Words that change how it runs, as written: only, skip, todo, concurrent, each, xfail… */
  readonly modifiers: readonly string[];
  /** One declaration, several tests at run time. */
  readonly parametrized: boolean;
}

/** What stands in a pattern for text that only a run knows. */
export const ANY_TEXT = "[\\s\\S]*";

/** The whole title path as one pattern, joined by blanks as vitest, jest, mocha and node do; not anchored. */
export function titlePattern(test: Pick<FoundTest, "path" | "patterns">): string {
  return test.path.map((title, index) => test.patterns[index] ?? escapePattern(title)).join(" ");
}

/**
 * Whether `pattern`, made of escaped text and {@link ANY_TEXT} alone, matches the whole of `text`.
 * Done piece by piece, because a regular expression with many gaps can take for ever on a long title.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const pieces = pattern.split(ANY_TEXT).map((piece) => piece.replace(/\\([\s\S])/g, "$1"));
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= text.length - last.length;
}
