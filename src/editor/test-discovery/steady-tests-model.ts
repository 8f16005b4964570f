import type { TestDocument, TextChange } from "./find-tests-model.ts";
import { addressedBy, type FoundTest, type TestNames } from "./found-test-model.ts";
import { lineEdit, movedLine } from "./line-edits-model.ts";
import { listsBy } from "../../core/group-by.ts";

/** The tests of a text that is being edited, as somebody sees them who looks while it is typed. */
export interface SteadyTests {
  readonly text: string;
  edit(changes: readonly TextChange[]): void;
  /** The text is on disk now: by these names a runner knows its tests. */
  saved(): void;
  /**
   * In source order. A test that cannot be found while the text has faults stays where it moved to; a renamed one
   * says how it was called on disk before. The same array until the next edit.
   */
  tests(): readonly FoundTest[];
  dispose(): void;
}

interface Tracked {
  readonly test: FoundTest;
  /** Names that it had on disk, oldest first. */
  readonly names: readonly TestNames[];
}

/** A test that is renamed more often within one window has calls by its later names. */
const MAX_NAMES = 20;

export function createSteadyTests(document: TestDocument): SteadyTests {
  let tracked: readonly Tracked[] = [];
  let found: readonly FoundTest[] | undefined;
  let shown: readonly FoundTest[] = [];

  function look(): void {
    const now = document.tests();
    if (now === found) return;
    found = now;
    tracked = followTests(tracked, now, document.isBroken);
    shown = tracked.map(withFormerNames);
  }

  function name(): void {
    tracked = tracked.map(({ test, names }) => ({ test, names: addNames(names, test) }));
    shown = tracked.map(withFormerNames);
  }

  look();
  name();
  return {
    get text() {
      return document.text;
    },
    edit(changes) {
      for (const change of changes) {
        const edit = lineEdit(document.text, change);
        if (edit.removed > 0 || edit.added > 0)
          tracked = tracked.flatMap((one) => {
            const test = moveTest(one.test, (line) => movedLine(line, edit));
            return test ? [{ ...one, test }] : [];
          });
        document.edit([change]);
      }
    },
    saved() {
      look();
      name();
    },
    tests() {
      look();
      return shown;
    },
    dispose: () => document.dispose(),
  };
}

function moveTest(test: FoundTest, to: (line: number) => number | undefined): FoundTest | undefined {
  const line = to(test.line);
  if (line === undefined) return undefined;
  const firstLine = Math.min(to(test.firstLine) ?? line, line);
  return { ...test, line, firstLine, endLine: Math.max(to(test.endLine) ?? line, line) };
}

/** What is known of the tests that were there goes on with them: by place, and by name where they were moved. */
function followTests(
  before: readonly Tracked[],
  now: readonly FoundTest[],
  isBroken: boolean,
): readonly Tracked[] {
  const left = new Set(before);
  const byPlace = listsBy(before, ({ test }) => `${test.kind} ${test.line}`);
  const byName = listsBy(before, ({ test }) => testKey(test));
  const take = (known: readonly Tracked[] = []): Tracked | undefined => {
    const one = known.find((each) => left.has(each));
    if (one) left.delete(one);
    return one;
  };
  // By both first: of two tests that changed places each keeps its own.
  const sure = now.map((test) =>
    take(byPlace.get(`${test.kind} ${test.line}`)?.filter((one) => testKey(one.test) === testKey(test))),
  );
  const named = now.map((test, index) => sure[index] ?? take(byName.get(testKey(test))));
  const follow = now.map((test, index): Tracked => {
    const one = named[index];
    if (one) return { test, names: one.names };
    const renamed = take(byPlace.get(`${test.kind} ${test.line}`));
    // Half a suite gives its tests other names, and half a title is none: until the text is whole it stays as it was.
    if (renamed && isBroken) return renamed;
    return { test, names: renamed?.names ?? [] };
  });
  if (!isBroken || left.size === 0) return follow;
  return [...follow, ...left].sort((a, b) => a.test.line - b.test.line || b.test.endLine - a.test.endLine);
}

const testKey = ({ kind, path }: FoundTest): string => JSON.stringify([kind, ...path]);

function addNames(names: readonly TestNames[], { path, patterns, id }: FoundTest): readonly TestNames[] {
  const now: TestNames = { path, patterns, ...(id !== undefined && { id }) };
  return [...names.filter((one) => !addressedBy(one, now)), now].slice(-MAX_NAMES);
}

function withFormerNames({ test, names }: Tracked): FoundTest {
  const formerly = names.filter((one) => !addressedBy(one, test));
  return formerly.length === 0 ? test : { ...test, formerly };
}
