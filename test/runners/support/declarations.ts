import { matchesPattern, type FoundTest } from "../../../src/test-discovery/found-test.ts";
import { createTestFinder, type TestFinder } from "../../../src/test-discovery/find-tests.ts";
import { grammarsDir } from "../../test-discovery/finder.ts";
import type { Saying } from "./calling-tests.ts";

let finder: Promise<TestFinder> | undefined;
const known = new Map<string, Promise<readonly FoundTest[]>>();

/** The tests that a source text declares, in its order; each text is read once. */
export function declarationsIn(file: string, text: string): Promise<readonly FoundTest[]> {
  finder ??= createTestFinder({ grammarsDir });
  const language = file.endsWith(".py") ? "python" : file.endsWith(".ts") ? "typescript" : "javascript";
  const reading =
    known.get(text) ??
    finder.then((one) => one.findTests(text, language)).then(({ tests }) => numbered(tests));
  known.set(text, reading);
  return reading;
}

const ordinals = new WeakMap<FoundTest, number>();

/** Notes which of its namesakes each one is. */
function numbered(tests: readonly FoundTest[]): readonly FoundTest[] {
  const counts = new Map<string, number>();
  for (const test of tests) {
    const name = JSON.stringify(test.path);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    ordinals.set(test, counts.get(name) ?? 1);
  }
  return tests;
}

/** Returns whether a declaration is the one that a call names as its place. */
export function isDeclaredAs(test: FoundTest, { path, nth }: Saying): boolean {
  const isNamed =
    test.path.length === path.length &&
    path.every((title, index) => {
      const pattern = test.patterns[index];
      return typeof pattern === "string" ? matchesPattern(pattern, title) : test.path[index] === title;
    });
  return isNamed && (nth === undefined || ordinals.get(test) === nth);
}
