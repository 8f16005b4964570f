import type { FoundTests } from "./find-tests-model.ts";
import type { FoundTest } from "./found-test-model.ts";

/** The tests of a text, and its lines. */
export interface TextTests extends FoundTests {
  readonly lines: readonly string[];
}

/**
 * The 1-based line with the same text, apart from its indentation, that is nearest to `near`; undefined if no line has
 * it. An empty text names no line.
 */
export function findLine(lines: readonly string[], text: string, near: number): number | undefined {
  const wanted = text.trim();
  let nearest: number | undefined;
  if (wanted === "") return undefined;
  for (const [index, line] of lines.entries()) {
    const distance = Math.abs(index + 1 - near);
    if (line.trim() === wanted && (nearest === undefined || distance < Math.abs(nearest - near)))
      nearest = index + 1;
  }
  return nearest;
}

/**
 * The tests of a text while a person types in it. In a text with syntax errors, tests of `before`, when it had none,
 * stay as long as their first line is there: half a suite would give its tests other names.
 */
export function keepTests(before: TextTests | undefined, now: TextTests): readonly FoundTest[] {
  if (!now.isBroken || before === undefined) return now.tests;
  const kept = new Map<number, FoundTest>();
  for (const test of before.tests) {
    const line = findLine(now.lines, before.lines[test.line - 1] ?? "", test.line);
    if (line === undefined || kept.has(line)) continue;
    const moved = line - test.line;
    const { firstLine, endLine } = test;
    kept.set(line, { ...test, line, firstLine: firstLine + moved, endLine: endLine + moved });
  }
  return [...kept.values(), ...now.tests.filter(({ line }) => !kept.has(line))].sort(
    (a, b) => a.line - b.line || b.endLine - a.endLine,
  );
}
