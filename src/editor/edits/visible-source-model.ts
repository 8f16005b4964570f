import type { TestRef } from "../../core/call.ts";
import { redactTexts } from "../../core/secrets/redact-call.ts";
import type { Scan } from "../../core/secrets/scanner.ts";
import type { FoundTest } from "../test-discovery/found-test-model.ts";
import { resolveTest } from "../test-discovery/resolve-test-model.ts";
import type { Chunk, Literals } from "./literals-model.ts";

/** A source file at one time: its literals and its tests. */
export interface SourceState extends Literals {
  readonly tests: readonly FoundTest[];
}

/** A source as it would be sent where the project redacts: secrets that it says reach no request, and no person. */
export function sourceWithoutSecrets(source: SourceState, scan: Scan): SourceState {
  const texts = redactTexts(
    source.chunks.map(({ text }) => text),
    scan,
  );
  return {
    ...source,
    chunks: source.chunks.map((chunk, at) => ({ ...chunk, text: texts[at] ?? chunk.text })),
  };
}

export interface EditedFile {
  /** Relative to the workspace folder, as in a TestRef. */
  readonly file: string;
  /** As it was when its tests last ran. */
  readonly before: SourceState;
  readonly now: SourceState;
}

/** What a recording's tests can see of the file before and now. */
interface VisibleSource {
  readonly before: Literals;
  readonly now: Literals;
}

/** Undefined where the tests went with the edit: what nobody runs misses nothing. */
export function visibleSource(
  tests: readonly TestRef[],
  { file, before, now }: EditedFile,
): VisibleSource | undefined {
  const own = tests.filter((test) => test.file === file);
  const declared = own.map((test) => resolveTest(before.tests, test));
  if (own.length === 0 || declared.includes(undefined)) return { before, now };
  const paths = declared.flatMap((test) => (test ? [test.path] : []));
  const left = paths.filter((path) => now.tests.some((test) => isPath(test.path, path)));
  if (left.length === 0) {
    const isDeleted = now.tests.length < before.tests.length;
    return isDeleted ? undefined : { before: visibleTo(paths, before), now };
  }
  return { before: visibleTo(left, before), now: visibleTo(left, now) };
}

/** What stands in one of the tests, in a suite around it, or outside of all tests. */
function visibleTo(paths: readonly (readonly string[])[], { chunks, options, tests }: SourceState): Literals {
  const isVisible = ({ line }: Chunk): boolean => {
    const scope = tests
      .filter((test) => test.firstLine <= line && line <= test.endLine)
      .reduce<readonly string[]>((deepest, { path }) => (path.length > deepest.length ? path : deepest), []);
    return paths.some((path) => scope.every((title, index) => title === path[index]));
  };
  return { chunks: chunks.filter(isVisible), options: options.filter(isVisible) };
}

function isPath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((title, index) => title === b[index]);
}
