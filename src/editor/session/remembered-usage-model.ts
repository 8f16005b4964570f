import { readEntry } from "../../core/cassette/address.ts";
import { createUnusedJudge, type Unused, type UnusedJudge } from "../../core/usage/unused.ts";
import { NO_USAGE, usersByEntry, type TestUse, type Usage } from "../../core/usage/usage.ts";
import { instantOf } from "../../core/view/age.ts";
import type { Origin, TestName } from "./usage-model.ts";

/** What whole runs on this machine say. The judge is made when it is asked, once for many answers. */
export function createRememberedUsage(origins: ReadonlyMap<string, Origin>) {
  let usage: Usage = NO_USAGE;
  let isGone: (test: TestName) => boolean = () => false;
  let users: ReadonlyMap<string, readonly TestUse[]> | undefined;
  let judge: UnusedJudge | undefined;
  return {
    get usage() {
      return usage;
    },
    users: (entry: string) => (users ??= usersByEntry(usage)).get(entry) ?? [],
    usageIs(known: Usage, gone: (test: TestName) => boolean) {
      usage = known;
      isGone = gone;
      users = undefined;
      judge = undefined;
    },
    isCalledFrom: (entry: string, file: string) =>
      (users ??= usersByEntry(usage)).get(entry)?.some(({ callers }) => callers.includes(file)) === true,
    lastUseIn(file: string): number | undefined {
      const own = [...usage.tests.values()].filter(
        ({ test, callers }) => test.file === file || callers.includes(file),
      );
      const times = own.flatMap(({ uses }) => uses.map(({ at }) => at));
      // A file that only holds prompts calls nobody: then any call may have been made with it.
      return [...(times.length > 0 ? times : usage.entries.values())].reduce<number | undefined>(
        (latest, at) => Math.max(latest ?? at, at),
        undefined,
      );
    },
    forgetJudge: () => void (judge = undefined),
    why(entry: string): Unused | undefined {
      const origin = origins.get(entry);
      const address = readEntry(entry);
      // What its file says decides which runs count: before it was read nothing is claimed.
      if (!origin || "wrong" in address) return undefined;
      judge ??= createUnusedJudge(usage, {
        named: [...origins.values()].flatMap(({ test }) => test ?? []),
        isGone,
      });
      const recordedAt = instantOf(origin.recordedAt) ?? 0;
      const { arrivedAt = 0, test } = origin;
      return judge.why({ address, recordedAt, arrivedAt, ...(test && { test }) });
    },
  };
}
