import type { JudgedRecording } from "./unused.ts";
import { isSameTestOrCase } from "../../call/test-names.ts";
import { createUsageId, mapUsersByEntry, listUses, type RecordingUsage, type UsageTest } from "./usage.ts";
import { addTo } from "../../base/group-by.ts";

/** A test with the recordings that it used on this machine; if none are known, those that name it as their test. */
export interface TestRecordings {
  readonly test: UsageTest;
  /** In order of use. */
  readonly uses: readonly TestRecording[];
  /** Time of its last replay, in milliseconds since the epoch; undefined if there was none. */
  readonly replayedAt: number | undefined;
}

export interface TestRecording {
  readonly entry: string;
  /** Time of its last use, in milliseconds since the epoch; undefined if this machine has not seen any. */
  readonly at: number | undefined;
}

/** Returns all tests of the recordings, sorted by file and title. Omits uses of entries that no longer exist. */
export function groupRecordingsByTest(
  usage: RecordingUsage,
  recordings: readonly JudgedRecording[],
): readonly TestRecordings[] {
  const recordedAt = new Map(recordings.map((one) => [one.address.entry, one.recordedAt]));
  const users = mapUsersByEntry(usage);
  // Older recordings of a parametrized test name only its function. If one of its cases uses such a recording, the
  // recording belongs to that case.
  const made = groupedByTest(
    recordings.filter(
      ({ test, address: { entry } }) =>
        test === undefined || users.get(entry)?.some((user) => isSameTestOrCase(user.test, test)) !== true,
    ),
  );
  const tests = new Map<string, UsageTest>();
  for (const { test } of [...usage.tests.values(), ...recordings])
    if (test)
      tests.set(createUsageId({ file: test.file, name: test.name }), { file: test.file, name: test.name });
  return [...tests]
    .map(([id, test]) => {
      const seen = listUses(usage, test).filter(({ entry }) => recordedAt.has(entry));
      const replayed = seen.filter(({ entry, at }) => at > (recordedAt.get(entry) ?? 0));
      const uses = seen.length > 0 ? seen : (made.get(id) ?? []).map((entry) => ({ entry, at: undefined }));
      return {
        test,
        uses,
        replayedAt: replayed.length === 0 ? undefined : Math.max(...replayed.map(({ at }) => at)),
      };
    })
    .filter(({ uses }) => uses.length > 0)
    .sort((a, b) => (testKey(a.test) < testKey(b.test) ? -1 : 1));
}

function groupedByTest(recordings: readonly JudgedRecording[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const { test, address } of recordings.toSorted((a, b) => a.recordedAt - b.recordedAt)) {
    if (test) addTo(groups, createUsageId({ file: test.file, name: test.name }), address.entry);
  }
  return groups;
}

const testKey = ({ file, name }: UsageTest): string => [file, ...name].join("\n");
