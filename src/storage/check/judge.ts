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
  const gone = new Set<string>();
  const looked = new Set<string>();
  const tests: readonly UsageTest[] = [...named, ...[...usage.tests.values()].map(({ test }) => test)];
  for (const { file, name } of tests) {
    const id = usageId({ file, name });
    if (looked.has(id)) continue;
    looked.add(id);
    if ((await findAbsence({ file, name })) !== undefined) gone.add(id);
  }
  return createUnusedJudge(usage, { named, isGone: ({ file, name }) => gone.has(usageId({ file, name })) });
}
