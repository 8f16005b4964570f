import { describe, expect, it } from "vitest";
import { missProblems, type FileNow } from "../../../src/editor/test-code/miss-problems-model.ts";
import { declared, FILE, missed, reference } from "./a-test-file.ts";

const TESTS = [declared("answers", 3, 5), declared("refuses", 7, 9)];

function fileNow(changes: Partial<FileNow> = {}): FileNow {
  return { file: FILE, tests: TESTS, lineNow: (line) => line, found: new Set(), ...changes };
}

const linesOf = (call: ReturnType<typeof missed>, changes: Partial<FileNow> = {}): readonly number[] =>
  missProblems([call], fileNow(changes)).problems.map(({ line }) => line);

describe("the problem of a missing call", () => {
  it("stands on the line that called, where the test still spans it", () => {
    expect(linesOf(missed("one", reference("answers", { line: 4 })))).toEqual([4]);
  });

  it("goes with the line while text above it is edited", () => {
    const tests = [declared("answers", 13, 15)];

    expect(
      linesOf(missed("one", reference("answers", { line: 4 })), { tests, lineNow: (n) => n + 10 }),
    ).toEqual([14]);
  });

  it("stands on the test's own line where the call's is unknown or from before an edit", () => {
    expect(linesOf(missed("one", reference("refuses")))).toEqual([7]);
    expect(linesOf(missed("one", reference("refuses", { line: 30 })))).toEqual([7]);
    expect(linesOf(missed("one", reference("refuses", { line: 8 })), { lineNow: () => undefined })).toEqual([
      7,
    ]);
  });

  it("stays with a test that was renamed", () => {
    const formerly = [{ path: ["chat", "answers"], patterns: [null, null] }];
    const renamed = declared("replies", 3, 5, { formerly });

    expect(linesOf(missed("one", reference("answers", { line: 4 })), { tests: [renamed] })).toEqual([4]);
  });

  it("stands where the call was where no such test was ever found in the file, else on the first line", () => {
    expect(linesOf(missed("one", reference("made by a helper", { line: 40 })))).toEqual([40]);
    expect(linesOf(missed("one", reference("made by a helper")))).toEqual([1]);
  });

  it("goes with its test", () => {
    const call = missed("one", reference("answers", { line: 4 }));
    const { found } = missProblems([call], fileNow());

    const after = missProblems([call], fileNow({ tests: [], found: new Set(found) }));

    expect(after).toEqual({ problems: [], found: [], gone: [call.id] });
  });

  it("outside of any test stands where the call was made, and nowhere where that is not known or gone", () => {
    const call = (line?: number) =>
      missed("one", { file: FILE, name: [], ...(line !== undefined && { line }) });

    expect(linesOf(call(2))).toEqual([2]);
    expect(linesOf(call())).toEqual([]);
    expect(linesOf(call(2), { lineNow: () => undefined })).toEqual([]);
  });

  it("is not one of another file, or of no test", () => {
    expect(linesOf(missed("one", reference("answers", { file: "tests/other.test.ts" })))).toEqual([]);
    expect(linesOf(missed("one"))).toEqual([]);
  });

  it("names the helper that made the call", () => {
    const at = { file: "src/ask.ts", line: 12 };

    const [problem] = missProblems([missed("one", reference("answers", { at }))], fileNow()).problems;

    expect(problem?.at).toEqual(at);
  });
});
