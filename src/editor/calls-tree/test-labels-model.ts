import type { TestRef } from "../../core/call/call.ts";
import { listsBy } from "../../core/base/group-by.ts";
import { testTitle } from "../../core/call/names.ts";

type Test = Pick<TestRef, "file" | "name">;

/**
 * The labels of rows that stand for tests, in the order of `tests`. A suite is left out when it is named like its file
 * or contains all tests of its file, because in a narrow view only the first words of a label are visible.
 */
export function testLabels(tests: readonly Test[]): readonly string[] {
  const named = tests.filter(({ name }) => name.length > 0);
  const siblings = listsBy(named, ({ file }) => file);
  const labels = tests.map((test) => {
    const omitted = suitesToOmit(test, siblings.get(test.file) ?? []);
    return testTitle({ ...test, name: test.name.slice(omitted) });
  });
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return tests.map((test, at) => {
    const label = labels[at] ?? "";
    return counts.get(label) === 1 ? label : testTitle(test);
  });
}

function suitesToOmit({ file, name }: Test, siblings: readonly Test[]): number {
  const stem = comparable(file.replace(/^.*\//su, "").replace(/\.[^.]*$/u, ""));
  const isShared = (suite: string, at: number): boolean =>
    siblings.length > 1 && siblings.every((other) => other.name.length > at + 1 && other.name[at] === suite);
  const suites = name.slice(0, -1);
  const kept = suites.findIndex((suite, at) => comparable(suite) !== stem && !isShared(suite, at));
  return kept < 0 ? suites.length : kept;
}

/** "test_classify", "classify.spec", and "ClassifyTest" name the same subject. */
function comparable(name: string): string {
  return name
    .toLowerCase()
    .replace(/tests?|spec/gu, "")
    .replace(/[^\p{L}\p{N}]/gu, "");
}
