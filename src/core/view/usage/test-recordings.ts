import type { JudgedRecording } from "./unused.ts";
import { isOrIsCaseOf } from "../../call/test-names.ts";
import { usageId, usersByEntry, usesOf, type RecordingUsage, type UsageTest } from "./usage.ts";
import { addTo } from "../../base/group-by.ts";

/** A test and what it uses, as far as this machine has seen; else what says that the test made it. */
export interface TestRecordings {
  readonly test: UsageTest;
  /** In order of use. */
  readonly uses: readonly TestRecording[];
  /** When it was last answered by a recording that stood before, in milliseconds since the epoch; never: undefined. */
  readonly replayedAt: number | undefined;
}

export interface TestRecording {
  readonly entry: string;
  /** When it was last used; undefined where that was not seen here. */
  readonly at: number | undefined;
}

/** All tests of these recordings, by file and title. Uses of entries that are gone are left out. */
export function recordingsByTest(
  usage: RecordingUsage,
  recordings: readonly JudgedRecording[],
): readonly TestRecordings[] {
  const recordedAt = new Map(recordings.map((one) => [one.address.entry, one.recordedAt]));
  const users = usersByEntry(usage);
  // What a function is said to have made, as older recordings do, and a case of it uses is that case's.
  const made = groupedByTest(
    recordings.filter(
      ({ test, address: { entry } }) =>
        test === undefined || users.get(entry)?.some((user) => isOrIsCaseOf(user.test, test)) !== true,
    ),
  );
  const tests = new Map<string, UsageTest>();
  for (const { test } of [...usage.tests.values(), ...recordings])
    if (test) tests.set(usageId({ file: test.file, name: test.name }), { file: test.file, name: test.name });
  return [...tests]
    .map(([id, test]) => {
      const seen = usesOf(usage, test).filter(({ entry }) => recordedAt.has(entry));
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
    if (test) addTo(groups, usageId({ file: test.file, name: test.name }), address.entry);
  }
  return groups;
}

const testKey = ({ file, name }: UsageTest): string => [file, ...name].join("\n");
