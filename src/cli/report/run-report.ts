import type { Spending } from "../../core/budget/spending.ts";
import type { Mode, Outcome, TestRef, CallEvent, MadeUp, Miss } from "../../core/call.ts";
import { NO_OUTCOMES } from "../../core/overview/overview.ts";
import { adviceOn } from "../../core/finding.ts";
import { groupBy } from "../../core/group-by.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import type { TeamReport } from "./team-report.ts";
import { NOTHING_SEEN, type Seen } from "../../server/seen.ts";
import type { PlannedRule } from "../../core/match/rules/plan-rules.ts";
import { testId, withoutCase } from "../../core/test-names.ts";

export interface RunReport {
  readonly mode: Mode;
  /** Requests that reached the server; those that it did not let in are left out. */
  readonly requests: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Calls that were sent to their provider. */
  readonly leftMachine: number;
  /** By test, in the order in which they missed; calls of no known test come last. */
  readonly missed: readonly MissedTest[];
  /** Rules that were planned for what is missing; absent where nobody asked for them. */
  readonly rules?: readonly PlannedRule[] | undefined;
  /** Tests of which calls came, in the order of their first. */
  readonly tests: readonly CallingTest[];
  /** Why calls were refused, or answers passed on and not recorded: each reason once. */
  readonly reasons: readonly string[];
  /** What the calls took that were sent; absent where none was. */
  readonly spent?: Spending;
  /** Answers that were not recorded and make the run a failure, since their calls hold secrets. */
  readonly failing: readonly RunEvent[];
  /** Answers whose recordings could not be written, which make the run a failure. */
  readonly lost: readonly RunEvent[];
  /** Calls over the run's limits of context, which make it a failure. */
  readonly overLimit: readonly RunEvent[];
  /** Calls that were given made-up answers, as `missed`. */
  readonly madeUp: readonly MissedTest[];
  /** Calls with which something went wrong on purpose. */
  readonly faulty: readonly RunEvent[];
  readonly recorded: readonly RunEvent[];
  /** Calls that MetaGPT's own cache answered. */
  readonly cached: readonly RunEvent[];
  /** Tests of which several trials got one recording that this run made. */
  readonly shared: readonly SharedTrials[];
  readonly seen: Seen;
  /** Absent where there is nothing of a team. */
  readonly team?: TeamReport | undefined;
}

export interface CallingTest {
  readonly test: TestRef;
  readonly calls: number;
  /** From the arrival of its first call to the end of its last. */
  readonly ms: number;
}

/** Rows and repetitions of a test that asked the same. */
export interface SharedTrials {
  /** The first of them. */
  readonly test: TestRef;
  readonly trials: number;
}

export interface MissedTest {
  readonly test: TestRef | undefined;
  readonly calls: readonly MissedCall[];
}

/** A missed call, however often it was made. */
export interface MissedCall {
  readonly event: RunEvent;
  readonly times: number;
}

export function reportOf(
  mode: Mode,
  requests: number,
  events: readonly RunEvent[],
  seen: Seen = NOTHING_SEEN,
): RunReport {
  const counts = { ...NO_OUTCOMES };
  for (const { outcome, isKeptElsewhere } of events) if (isKeptElsewhere !== true) counts[outcome] += 1;
  const reasons = events.flatMap(({ outcome, reason, hint, upstreamStatus, lost }) =>
    outcome === "miss" || reason === undefined || lost !== undefined
      ? []
      : [`${reason} ${hint ?? adviceOn(upstreamStatus)}`.trim()],
  );
  const spent = events.findLast((event) => event.spent !== undefined)?.spent;
  return {
    mode,
    requests,
    counts,
    leftMachine: events.filter(leftMachine).length,
    cached: events.filter(({ outcome, cacheFile }) => outcome === "replayed" && cacheFile !== undefined),
    tests: callingTests(events),
    missed: byTest(events.filter(({ outcome }) => outcome === "miss")),
    reasons: [...new Set(reasons)],
    ...pickDefined({ spent }),
    failing: events.filter(({ failsRun, outcome }) => failsRun === true && outcome !== "refused"),
    lost: events.filter(({ lost }) => lost !== undefined),
    overLimit: events.filter(({ failsRun, outcome }) => failsRun === true && outcome === "refused"),
    madeUp: byTest(events.filter(({ madeUp }) => madeUp !== undefined)),
    faulty: events.filter(({ fault }) => fault !== undefined),
    recorded: events.filter(({ outcome }) => outcome === "recorded"),
    shared: sharedTrials(events),
    seen,
  };
}

/** What MetaGPT's cache reports was sent by calls of their own. */
const leftMachine = ({ outcome, cacheFile }: RunEvent): boolean =>
  cacheFile === undefined && (outcome === "recorded" || outcome === "forwarded");

function callingTests(events: readonly RunEvent[]): readonly CallingTest[] {
  return groupBy(events, nameOfTest).flatMap((calls) => {
    const test = calls[0]?.test;
    if (test === undefined) return [];
    const begun = Math.min(...calls.map(({ at }) => at));
    return { test, calls: calls.length, ms: Math.max(...calls.map(({ at, ms }) => at + ms)) - begun };
  });
}

function sharedTrials(events: readonly RunEvent[]): readonly SharedTrials[] {
  const kept = events.filter(({ test, entry }) => test !== undefined && entry !== null);
  return groupBy(kept, ({ test, entry }) => `${entry} ${testId(withoutRow(test))}`).flatMap((calls) => {
    const trials = new Set(calls.map(({ test }) => `${testId(test)} ${test?.trial ?? 1}`)).size;
    const test = calls[0]?.test;
    if (test === undefined || trials < 2 || !calls.some(({ outcome }) => outcome === "recorded")) return [];
    return { test, trials };
  });
}

/** Rows of a table have titles that differ in numbers, or in what stands in brackets. */
function withoutRow(test: TestRef | undefined): TestRef | undefined {
  return test && { ...test, name: test.name.map((title) => withoutCase(title).replace(/\d+/gu, "#")) };
}

const nameOfTest = ({ test }: RunEvent): string => testId(test);

function byTest(misses: readonly RunEvent[]): readonly MissedTest[] {
  const groups = groupBy(misses, nameOfTest);
  const tests = groups.map((events) => ({ test: events[0]?.test, calls: byKey(events) }));
  return [
    ...tests.filter(({ test }) => test !== undefined),
    ...tests.filter(({ test }) => test === undefined),
  ];
}

function byKey(events: readonly RunEvent[]): readonly MissedCall[] {
  return groupBy(events, ({ key, id }) => key ?? String(id)).flatMap(([event, ...more]) =>
    event === undefined ? [] : [{ event, times: more.length + 1 }],
  );
}

/** A call of a run as its report needs it: of a miss, all but its request; of a made-up answer, who made it. */
export interface RunEvent extends Omit<CallEvent, "miss" | "madeUp"> {
  readonly miss?: Omit<Miss, "request">;
  readonly madeUp?: Pick<MadeUp, "by">;
}

/** What is kept of a call until its run is over. Requests are long, and a run may miss thousands of them. */
export function runEventOf({ miss, madeUp, ...event }: CallEvent): RunEvent {
  const told = miss && { ...miss, request: undefined };
  const by = madeUp && { madeUp: { by: madeUp.by } };
  // A copy: a short text that was cut out of a long one keeps all of that.
  return structuredClone({ ...event, ...by, ...pickDefined({ miss: told }) });
}
