import type { TestRef } from "../../core/call/call.ts";
import { describeFinding } from "../../core/view/finding.ts";
import type { OpenFinding } from "../findings/findings-model.ts";
import {
  type FoundTest,
  type TextTests,
  findLine,
  resolveNamed,
  resolveTest,
} from "../../test-discovery/found-test.ts";

/** A missing or failed call as a problem of the test that made it. Lines are 1-based. */
export interface CallProblem {
  readonly call: OpenFinding;
  readonly line: number;
  readonly message: string;
  /** The helper that made the call, if that is another file. */
  readonly at?: { readonly file: string; readonly line: number } | undefined;
}

/** The current state of a test file. */
export interface FileNow extends TextTests {
  readonly file: string;
  /** Its lines on disk, which runners read. */
  readonly saved: readonly string[];
}

export interface FileProblems {
  readonly problems: readonly CallProblem[];
  /** Ids of the calls whose test was in the file and is deleted. */
  readonly gone: readonly string[];
}

/** Finds the lines of a file's calls. Stores the lines that runners reported, to find them after edits. */
export type ProblemPlaces = ReturnType<typeof createProblemPlaces>;

/** The source line that a runner reported, as it was when the call was first placed. */
interface Anchor {
  /** Time of the call, in milliseconds since the epoch. A later call gets a new anchor. */
  readonly at: number;
  readonly text: string;
  /** Lines from the first line of its test. */
  readonly offset: number | undefined;
  /** The tests that the file had then. */
  readonly names: ReadonlySet<string>;
  /** Whether its test was found in the file. */
  wasDeclared: boolean;
}

export function createProblemPlaces() {
  const anchors = new Map<string, Anchor>();
  return {
    problemsOf(calls: readonly OpenFinding[], now: FileNow) {
      const problems: CallProblem[] = [];
      const gone: string[] = [];
      for (const call of calls) {
        const { id, at, test } = call;
        if (test?.file !== now.file) continue;
        const known = anchors.get(id);
        const anchor = known?.at === at ? known : anchorOf(test, at, now);
        anchors.set(id, anchor);
        const line = lineOf(test, anchor, now);
        if (typeof line === "number")
          problems.push({ call, line, message: describeFinding(call), at: test.at });
        else if (line === "gone" && !now.isBroken) gone.push(id);
      }
      return { problems, gone };
    },
  };
}

const pathKey = ({ path }: FoundTest): string => JSON.stringify(path);

function anchorOf(test: TestRef, at: number, { tests, saved }: FileNow): Anchor {
  const declared = resolveNamed(tests, test);
  const { line = 0 } = test;
  const isInside = declared !== undefined && declared.firstLine <= line && line <= declared.endLine;
  return {
    at,
    text: saved[line - 1] ?? "",
    offset: isInside ? line - declared.firstLine : undefined,
    names: new Set(tests.map(pathKey)),
    wasDeclared: false,
  };
}

/**
 * Returns the line in the test that made the call, or else the line of the test. A call outside tests, or of a test that
 * was never found in the file (an unusual declaration), gets the line that its runner reported. "gone": its test was
 * deleted; undefined: no line is known.
 */
function lineOf(test: TestRef, anchor: Anchor, { tests, lines }: FileNow): number | "gone" | undefined {
  const declared = resolveNamed(tests, test);
  const near =
    declared && anchor.offset !== undefined ? declared.firstLine + anchor.offset : (test.line ?? 1);
  const line = findLine(lines, anchor.text, near);
  if (declared) {
    anchor.wasDeclared = true;
    const isInside = line !== undefined && declared.firstLine <= line && line <= declared.endLine;
    return isInside ? line : declared.line;
  }
  if (anchor.wasDeclared) {
    // A new test around the line is the same test after a rename.
    const around = line === undefined ? undefined : resolveTest(tests, { line });
    return around && !anchor.names.has(pathKey(around)) ? line : "gone";
  }
  if (line !== undefined) return line;
  if (anchor.text !== "") return "gone";
  return test.name.length === 0 ? undefined : (test.line ?? 1);
}
