import type { TestRef } from "../../core/call/call.ts";
import { describeFinding } from "../../core/view/finding.ts";
import type { OpenFinding } from "../findings/findings-model.ts";
import { type FoundTests, resolveNamed } from "../../test-discovery/found-test.ts";

/** A missing or failed call as a problem of the test that made it. Lines are 1-based. */
export interface CallProblem {
  readonly call: OpenFinding;
  readonly line: number;
  readonly message: string;
  /** The helper that made the call, if that is another file. */
  readonly at?: { readonly file: string; readonly line: number } | undefined;
}

/** Finds the lines of a file's calls. */
export type ProblemPlaces = ReturnType<typeof createProblemPlaces>;

/** Where a call was when it was first placed. */
interface Anchor {
  /** Time of the call, in milliseconds since the epoch. A later call gets a new anchor. */
  readonly at: number;
  /** Lines from the first line of its test; undefined if the runner reported no line in it. */
  readonly offset: number | undefined;
  readonly wasDeclared: boolean;
}

export function createProblemPlaces() {
  const anchors = new Map<string, Anchor>();
  return {
    /** A test that was in the file and is deleted has no problems. */
    problemsOf(calls: readonly OpenFinding[], file: string, now: FoundTests): readonly CallProblem[] {
      return calls.flatMap((call) => {
        const { id, at, test } = call;
        if (test?.file !== file) return [];
        const known = anchors.get(id);
        const anchor = known?.at === at ? known : anchorOf(test, at, now);
        anchors.set(id, anchor);
        const line = lineOf(test, anchor, now);
        return line === undefined ? [] : [{ call, line, message: describeFinding(call), at: test.at }];
      });
    },
    /** Returns the calls of tests that were in the file and are deleted. */
    deletedIn(calls: readonly OpenFinding[], file: string, { tests, isBroken }: FoundTests) {
      if (isBroken) return [];
      return calls.filter(
        ({ id, test }) =>
          test?.file === file && anchors.get(id)?.wasDeclared && resolveNamed(tests, test) === undefined,
      );
    },
  };
}

function anchorOf(test: TestRef, at: number, { tests }: FoundTests): Anchor {
  const declared = resolveNamed(tests, test);
  const { line = 0 } = test;
  const isInside = declared !== undefined && declared.firstLine <= line && line <= declared.endLine;
  return {
    at,
    offset: isInside ? line - declared.firstLine : undefined,
    wasDeclared: declared !== undefined,
  };
}

/**
 * Returns the line in the test that made the call, or else the line of the test. A call outside tests, or of a test that
 * was never found in the file (an unusual declaration), gets the line that its runner reported.
 */
function lineOf(
  test: TestRef,
  { offset, wasDeclared }: Anchor,
  { tests, isBroken }: FoundTests,
): number | undefined {
  const declared = resolveNamed(tests, test);
  if (declared) {
    const line = offset === undefined ? declared.line : declared.firstLine + offset;
    return line <= declared.endLine ? line : declared.line;
  }
  if (wasDeclared && !isBroken) return undefined;
  return test.line ?? (test.name.length === 0 ? undefined : 1);
}
