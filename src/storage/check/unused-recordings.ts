import { createUnusedJudge, type JudgedRecording } from "../../core/view/usage/unused.ts";
import type { RecordingUsage } from "../../core/view/usage/usage.ts";
import { parseInstant } from "../../core/base/age.ts";
import type { FoundFacts } from "../local/facts-table.ts";
import { describeUnused } from "./finding-texts.ts";
import { type CheckFinding, createFileFinding } from "./findings.ts";
import { type FindAbsence, findGone, listUsageTests } from "./test-presence.ts";

/** The recordings that no test asks for, by the runs that this machine has seen. */
export interface UnusedRecordings {
  readonly findings: readonly CheckFinding[];
  /** By entry, when it was last used or else recorded, in milliseconds since the epoch; 0 if that is not known. */
  readonly lastSeen: ReadonlyMap<string, number>;
}

/** `judged`: all recordings of the folder that can be read. */
export async function findUnused(
  usage: RecordingUsage,
  judged: readonly JudgedRecording[],
  findAbsence: FindAbsence,
): Promise<UnusedRecordings> {
  const named = judged.flatMap(({ test }) => test ?? []);
  const isGone = await findGone([...named, ...listUsageTests(usage)], findAbsence);
  const judge = createUnusedJudge(usage, { named, isGone });
  return {
    findings: judged.flatMap((one) => {
      const unused = judge(one);
      return unused ? [createFileFinding("unused", one.address.entry, describeUnused(unused))] : [];
    }),
    lastSeen: new Map(
      judged.map(({ address: { entry }, recordedAt }) => [entry, usage.entries.get(entry) ?? recordedAt]),
    ),
  };
}

/** Undefined for a recording that cannot be read. */
export function judgeRecording({ address, stamp, facts }: FoundFacts): JudgedRecording | undefined {
  if (facts === undefined) return undefined;
  const recordedAt = parseInstant(facts.recordedAt) ?? 0;
  return { address, recordedAt, arrivedAt: stamp?.ctimeMs ?? 0, test: facts.test };
}
