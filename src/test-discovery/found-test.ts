import { escapePattern, withoutCase } from "../core/call/test-names.ts";

/** A test or suite as its source text declares it. Lines and columns are 1-based. */
export interface FoundTest {
  readonly kind: "test" | "suite";
  /** As a person reads it; parts that only a run knows stand as their source, e.g. `adds ${a}`. */
  readonly title: string;
  /** Titles of the suites around it and its own, outermost first. */
  readonly path: readonly string[];
  /** For each title in `path`: a regular expression's source where only a run knows it, else null. */
  readonly patterns: readonly (string | null)[];
  /** For a subtest of node:test: how many titles of `path` name the outermost test around it, which has to run. */
  readonly runsWith?: number;
  /** Where the call (JavaScript) or the `def` or `class` (Python) begins; 0 if only the titles are known. */
  readonly line: number;
  /** Where it begins with its decorators; otherwise the same as `line`. */
  readonly firstLine: number;
  readonly endLine: number;
  /** Python: what pytest puts behind the file, `Class::test_x`, without parameters. */
  readonly id?: string;
  /** Whether its declaration marks it as skipped. */
  readonly isSkipped: boolean;
}

/** The placeholder in a pattern for text that is known only in a run. */
export const ANY_TEXT = "[\\s\\S]*";

/** The whole title path as one pattern, joined by blanks as vitest, jest, mocha and node do; not anchored. */
export function createTitlePattern(test: Pick<FoundTest, "path" | "patterns">): string {
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

/** How a call identifies its test: a TestRef, or a part of one. `line` is 1-based. */
interface TestPointer {
  readonly name?: readonly string[] | undefined;
  readonly joined?: string | undefined;
  readonly line?: number | undefined;
  readonly id?: string | undefined;
}

/**
 * The declaration in this file's `tests` that a call's attribution means: by id, else by titles, the line breaking
 * ties; a suite where the titles are a suite's; only where no title fits, the innermost test around the line, else the
 * innermost suite.
 */
export function resolveTest(tests: readonly FoundTest[], pointer: TestPointer): FoundTest | undefined {
  const named = resolveNamed(tests, pointer);
  if (named) return named;
  const { line } = pointer;
  return innermost(tests.filter(kindOf("test")), line) ?? innermost(tests.filter(kindOf("suite")), line);
}

/** As {@link resolveTest}, by id and titles alone: undefined where no test of the file has that name. */
export function resolveNamed(tests: readonly FoundTest[], pointer: TestPointer): FoundTest | undefined {
  const id = ownId(pointer.id);
  const byId = id === undefined ? undefined : tests.find((test) => test.id === id);
  if (byId) return byId;
  const named = tests.filter((test) => isNamed(test, pointer));
  const best = named.filter(kindOf("test"));
  if (best.length > 0) return choose(best, pointer.line);
  return named.length > 0 ? choose(named, pointer.line) : undefined;
}

/** Returns the test of a pointer. For a parametrized test, returns only the case if the pointer names one. */
export function createCase(test: FoundTest, { name = [] }: TestPointer): FoundTest {
  const title = name.at(-1);
  if (test.id === undefined || test.kind !== "test" || title?.endsWith("]") !== true) return test;
  if (withoutCase(title) !== test.title) return test;
  return { ...test, title, path: name, patterns: name.map(() => null), id: name.join("::") };
}

const kindOf =
  (kind: FoundTest["kind"]) =>
  (test: FoundTest): boolean =>
    test.kind === kind;

/** A pytest node id without the file and the parameters, which may hold "::" themselves. */
function ownId(id: string | undefined): string | undefined {
  const at = id?.indexOf("::") ?? -1;
  return id === undefined || at < 0 ? undefined : withoutCase(id.slice(at + 2));
}

function isNamed(test: FoundTest, { name, joined }: TestPointer): boolean {
  if (joined !== undefined) return matchesPattern(createTitlePattern(test), joined);
  if (!name?.length || name.length !== test.path.length) return false;
  return name.every((title, index) =>
    matchesPattern(
      test.patterns[index] ?? escapePattern(test.path[index] ?? ""),
      test.id === undefined ? title : withoutCase(title),
    ),
  );
}

function choose(tests: readonly FoundTest[], line: number | undefined): FoundTest | undefined {
  if (tests.length === 1) return tests[0];
  return (
    innermost(tests, line) ??
    tests.find((test) => test.patterns.every((pattern) => pattern === null)) ??
    tests[0]
  );
}

function innermost(tests: readonly FoundTest[], line: number | undefined): FoundTest | undefined {
  if (line === undefined) return undefined;
  const around = tests.filter((test) => test.firstLine <= line && line <= test.endLine);
  return around.sort((a, b) => a.endLine - a.firstLine - (b.endLine - b.firstLine))[0];
}

/** The tests of a text in source order, a suite before the tests in it. */
export interface FoundTests {
  readonly tests: readonly FoundTest[];
  /** The text has syntax errors, so tests in it may be missing. */
  readonly isBroken: boolean;
}
