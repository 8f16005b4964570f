import { editorReader, missLines } from "../../core/miss.ts";
import type { TestRef } from "../../core/call.ts";
import type { FoundTest } from "../test-discovery/found-test-model.ts";
import { resolveNamed } from "../test-discovery/resolve-test-model.ts";
import { findingText, type Finding } from "../../core/finding.ts";
import type { MissingCall } from "../session/missing-calls-model.ts";

/** A missing call, or what went wrong with one, as a problem of the test that made it. Lines are 1-based. */
export interface MissProblem {
  readonly call: MissingCall | Finding;
  readonly line: number;
  readonly message: string;
  /** The helper that made the call, where it is another place. */
  readonly at?: { readonly file: string; readonly line: number } | undefined;
}

/** A test file as it is now. */
export interface FileNow {
  readonly file: string;
  readonly tests: readonly FoundTest[];
  /** Where a line told at a time is now; undefined where it was taken away. */
  readonly lineNow: (line: number, at: number) => number | undefined;
  /** Ids of the calls whose test was found in the file before. */
  readonly found: ReadonlySet<string>;
}

export interface FileProblems {
  readonly problems: readonly MissProblem[];
  /** Ids of the calls whose test is in the file. */
  readonly found: readonly string[];
  /** Ids of the calls whose test was there and was taken away. */
  readonly gone: readonly string[];
}

/**
 * The problems of one file, in the order of the calls. A call outside of any test stands where it was made; one whose
 * test was never found in the file (declared in a way of its own) where its runner said.
 */
export function missProblems(missing: readonly (MissingCall | Finding)[], now: FileNow): FileProblems {
  const problems: MissProblem[] = [];
  const found: string[] = [];
  const gone: string[] = [];
  for (const call of missing) {
    if (call.test?.file !== now.file) continue;
    const place = problemPlace(call.test, call, now);
    if (place.found) found.push(call.id);
    if (place.line === undefined) {
      if (place.gone) gone.push(call.id);
      continue;
    }
    const { at } = call.test;
    problems.push({ call, line: place.line, message: problemText(call), at });
  }
  return { problems, found, gone };
}

function problemPlace(
  test: TestRef,
  { id, at }: MissingCall | Finding,
  { tests, lineNow, found }: FileNow,
): { readonly line?: number; readonly found?: boolean; readonly gone?: boolean } {
  const line = test.line === undefined ? undefined : lineNow(test.line, at);
  const { line: _, ...name } = test;
  const declared = resolveNamed(tests, { ...name, line });
  if (declared) {
    // A line that the test no longer spans is from before an edit.
    const isInside = line !== undefined && declared.firstLine <= line && line <= declared.endLine;
    return { line: isInside ? line : declared.line, found: true };
  }
  if (found.has(id) || (test.line !== undefined && line === undefined)) return { gone: true };
  if (line !== undefined) return { line };
  return test.name.length === 0 ? {} : { line: 1 };
}

/** What is missing or went wrong, what differs or why, and what to do: a line each. */
function problemText(call: MissingCall | Finding): string {
  return "miss" in call ? missLines(call.miss, editorReader(call.test)).join("\n") : findingText(call);
}
