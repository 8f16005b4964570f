import { escapePattern, matchesPattern, titlePattern, type FoundTest } from "./found-test-model.ts";

/** What a call says of its test: a TestRef, or a part of one. `line` is 1-based. */
export interface TestPointer {
  readonly name?: readonly string[] | undefined;
  readonly joined?: string | undefined;
  readonly line?: number | undefined;
  readonly id?: string | undefined;
}

/**
 * The declaration in this file's `tests` that a call's attribution means: by id, else by titles, the line breaking
 * ties; a suite where the titles are a suite's; only where no title fits, the innermost test around the line, else the innermost suite.
 */
export function resolveTest(tests: readonly FoundTest[], pointer: TestPointer): FoundTest | undefined {
  const byId = tests.find((test) => test.id !== undefined && test.id === ownId(pointer.id));
  if (byId) return byId;
  const named = tests.filter((test) => isNamed(test, pointer));
  const best = named.filter(kindOf("test"));
  if (best.length > 0) return choose(best, pointer.line);
  if (named.length > 0) return choose(named, pointer.line);
  const { line } = pointer;
  return innermost(tests.filter(kindOf("test")), line) ?? innermost(tests.filter(kindOf("suite")), line);
}

const kindOf =
  (kind: FoundTest["kind"]) =>
  (test: FoundTest): boolean =>
    test.kind === kind;

/** A pytest node id without the file and the parameters, which may hold "::" themselves. */
function ownId(id: string | undefined): string | undefined {
  const at = id?.indexOf("::") ?? -1;
  return at < 0 ? undefined : id?.slice(at + 2).replace(/\[.*$/s, "");
}

function isNamed(test: FoundTest, { name, joined }: TestPointer): boolean {
  if (joined !== undefined) return matchesPattern(titlePattern(test), joined);
  if (!name?.length || name.length !== test.path.length) return false;
  return name.every((title, index) =>
    matchesPattern(test.patterns[index] ?? escapePattern(test.path[index] ?? ""), title),
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
