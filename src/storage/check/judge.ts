import { createUnusedJudge, type JudgedRecording, type UnusedJudge } from "../../core/usage/unused.ts";
import { usageId, type Usage, type UsageTest } from "../../core/usage/usage.ts";
import type { FindAbsence } from "./test-presence.ts";

/** Judges what is unused, with the tests looked up in their files. `recordings`: all that are there. */
export async function judgeOf(
  usage: Usage,
  recordings: readonly Pick<JudgedRecording, "test">[],
  findAbsence: FindAbsence,
): Promise<UnusedJudge> {
  const named = recordings.flatMap(({ test }) => test ?? []);
  const isGone = await findGone([...named, ...testsIn(usage)], findAbsence);
  return createUnusedJudge(usage, { named, isGone });
}

/** Tells the tests that are not in their files any more, among these. */
export async function findGone(
  tests: readonly UsageTest[],
  findAbsence: FindAbsence,
): Promise<(test: UsageTest) => boolean> {
  const found = new Map<string, boolean>();
  for (const { file, name } of tests) {
    const id = usageId({ file, name });
    if (!found.has(id)) found.set(id, (await findAbsence({ file, name })) !== undefined);
  }
  return ({ file, name }) => found.get(usageId({ file, name })) === true;
}

export function testsIn(usage: Usage): readonly UsageTest[] {
  return [...usage.tests.values()].map(({ test }) => test);
}
