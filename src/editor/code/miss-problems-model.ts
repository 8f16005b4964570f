import type { Miss } from "../../core/exchange.ts";
import type { MissingCall } from "../session-model.ts";
import type { FoundTest } from "../tests/found-test-model.ts";
import { resolveTest } from "../tests/resolve-test-model.ts";

/** A missing call as a problem of the test that made it. Lines are 1-based. */
export interface MissProblem {
  readonly call: MissingCall;
  readonly line: number;
  readonly message: string;
  /** The helper that made the call, where it is another place. */
  readonly at?: { readonly file: string; readonly line: number };
}

/** How many differences a problem's line spells out; the call's page has all. */
const SPELLED_OUT = 3;

/** The problems of one test file. `tests` are those found in it; a call that none of them made stands on line 1. */
export function missProblems(
  missing: readonly MissingCall[],
  file: string,
  tests: readonly FoundTest[],
): readonly MissProblem[] {
  return missing.flatMap((call) => {
    const { test, miss } = call;
    if (test?.file !== file) return [];
    const { line, at } = test;
    const declared = resolveTest(tests, test);
    // A line that the test no longer spans is from before an edit.
    const isInside =
      line !== undefined && (!declared || (declared.firstLine <= line && line <= declared.endLine));
    return {
      call,
      line: (isInside ? line : declared?.line) ?? 1,
      message: problemText(miss),
      ...(at && { at }),
    };
  });
}

/** One line: which call, and what differs from the nearest recording. */
export function problemText(miss: Miss): string {
  const what = `No recording for this ${miss.model ?? `${miss.provider} ${miss.operation}`} call`;
  if (miss.nearest === undefined) return `${what} ("${miss.label}"): nothing like it is recorded.`;
  const { differences } = miss.nearest;
  const spelled = differences.slice(0, SPELLED_OUT).map(({ text }) => text);
  const more = differences.length - spelled.length;
  if (more > 0) spelled.push(`${more} more`);
  return `${what}: ${spelled.join("; ") || "a detail that has no words"} from the nearest.`;
}
