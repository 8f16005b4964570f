import { joinSentences, localize } from "../../core/base/localize.ts";
import type { Spending } from "../../core/call/spending.ts";
import type { CallEvent, Mode, Outcome, TestRef } from "../../core/call/call.ts";
import {
  getAdvice,
  bypassFinding,
  createFindingsOfCall,
  describeMadeUpReason,
  type Finding,
  type FindingEvent,
  type FindingKind,
} from "../../core/view/finding.ts";
import { groupBy, mapGroups } from "../../core/base/group-by.ts";
import type { PlannedRule } from "../../core/match/rules/plan-rules.ts";
import { NO_OUTCOMES } from "../../core/view/overview/overview.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import { formatTestPlace, getTestId } from "../../core/call/test-names.ts";
import { NOTHING_SEEN, type PassedCall, type ObservedRun } from "../../server/run-observer.ts";
import { formatCount, localizeCount } from "../../core/base/plural.ts";
import type { Deck } from "../../deck/deck.ts";

/** A call of a run as its report needs it: of a missed request, only its values. */
export type RunEvent = FindingEvent;

export interface RunReport {
  readonly mode: Mode;
  /** Requests that reached the server; those that it did not let in are left out. */
  readonly requests: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  /** Calls that were sent to their provider. */
  readonly leftMachine: number;
  /** Everything wrong with the run's calls, each once, in the order in which it happened. */
  readonly findings: readonly RunFinding[];
  /** Rules that were planned for the misses; absent unless they were requested. */
  readonly rules?: readonly PlannedRule[] | undefined;
  /** Tests that made calls, in the order of their first call. */
  readonly tests: readonly CallingTest[];
  /** Why calls were refused, or answers passed on and not recorded: each reason once, with its tests. */
  readonly reasons: ReadonlyMap<string, readonly TestRef[]>;
  /** Cost and tokens of the calls that were sent; absent if none was sent. */
  readonly spent?: Spending;
  readonly recorded: readonly RunEvent[];
  /** Calls that MetaGPT's own cache answered. */
  readonly cached: readonly RunEvent[];
  /** Tests with several trials that share a recording from this run. */
  readonly shared: readonly SharedTrials[];
  readonly observed: ObservedRun;
  /** Absent if no team cache or team recordings are in use. */
  readonly team?: TeamReport | undefined;
}

export interface RunFinding extends Finding {
  /** The first call of the finding; absent if the call did not reach Tapedeck. */
  readonly event?: RunEvent;
  readonly bypassed?: PassedCall;
  /** Whether it makes the run a failure in every mode. */
  readonly failsRun: boolean;
}

export interface CallingTest {
  readonly test: TestRef;
  /** From the arrival of its first call to the end of its last. */
  readonly ms: number;
}

/** Rows and repetitions of a test that asked the same. */
export interface SharedTrials {
  /** The first of them. */
  readonly test: TestRef;
  readonly trials: number;
}

export function buildReport(
  mode: Mode,
  requests: number,
  events: readonly RunEvent[],
  observed: ObservedRun = NOTHING_SEEN,
): RunReport {
  const counts = { ...NO_OUTCOMES };
  for (const { outcome, isKeptElsewhere } of events) if (isKeptElsewhere !== true) counts[outcome] += 1;
  const isRetried = findRetried(events);
  // Calls end in any order, and each reports what the run has spent so far.
  const [spent] = events.flatMap((event) => event.spent ?? []).toSorted((a, b) => b.calls - a.calls);
  const answeredByProviders = events.filter(leftMachine).length;
  return {
    mode,
    requests,
    counts,
    // A call of a chain can be sent more than once: for a forgotten id, and to poll a job.
    leftMachine: Math.max(answeredByProviders, spent?.calls ?? 0),
    findings: findingsOf(
      events.filter((event) => !isRetried(event)),
      observed,
    ),
    cached: events.filter(({ outcome, cacheFile }) => outcome === "replayed" && cacheFile !== undefined),
    tests: callingTests(events),
    reasons: reasonsOf(events, isRetried),
    ...pickDefined({ spent }),
    recorded: events.filter(({ outcome }) => outcome === "recorded"),
    shared: sharedTrials(events),
    observed,
  };
}

function reasonsOf(
  events: readonly RunEvent[],
  isRetried: (event: RunEvent) => boolean,
): RunReport["reasons"] {
  const remarks = events.flatMap((event) => {
    const { outcome, reason, hint, upstreamStatus, lost, madeUp, test } = event;
    if (outcome === "miss" || reason === undefined || lost !== undefined) return [];
    if (reason === describeMadeUpReason(madeUp?.by ?? "")) return [];
    return isRetried(event)
      ? { text: joinSentences(reason, localize("A later attempt of this call succeeded.")), tests: [] }
      : { text: joinSentences(reason, hint ?? getAdvice(upstreamStatus)), tests: test ?? [] };
  });
  const reasons = [...mapGroups(remarks, ({ text }) => text)].map(([text, same]) => {
    const tests = groupBy(
      same.flatMap((remark) => remark.tests),
      getTestId,
    );
    return [text, tests.flatMap(([test]) => test ?? [])] as const;
  });
  return new Map(reasons);
}

export function listFindingsOfKind(
  { findings }: Pick<RunReport, "findings">,
  ...kinds: readonly FindingKind[]
): readonly RunFinding[] {
  return findings.filter(({ kind }) => kinds.includes(kind));
}

/** How many calls some findings are about. */
export const countCallsOfFindings = (findings: readonly Finding[]): number =>
  findings.reduce((sum, { count }) => sum + count, 0);

/** By test, or by line where the runner names no tests, in the order of their first finding; calls of no known test come last. */
export function groupByTest<F extends Pick<Finding, "test">>(
  findings: readonly F[],
): readonly (readonly F[])[] {
  const groups = groupBy(findings, ({ test }) =>
    test?.name.length === 0 ? formatTestPlace(test) : getTestId(test),
  );
  const isKnown = ([first]: readonly F[]): boolean => first?.test !== undefined;
  return [...groups.filter(isKnown), ...groups.filter((group) => !isKnown(group))];
}

/** Returns the event to keep until the run ends, without its request: requests are long, and a run can miss thousands. */
export function createRunEvent({ miss, madeUp, ...event }: CallEvent): RunEvent {
  const kept = miss && { ...miss, request: pickDefined({ values: miss.request.values }) };
  const by = madeUp && { madeUp: { by: madeUp.by } };
  return { ...event, ...by, ...pickDefined({ miss: kept }) };
}

/** Finds failed calls of a test that the test made again and that were answered then. */
function findRetried(events: readonly RunEvent[]): (event: RunEvent) => boolean {
  const nameOf = ({ key, test }: RunEvent): string => `${key} ${getTestId(test)}`;
  const answers = new Map<string, number>();
  for (const event of events)
    if (event.outcome === "recorded" || event.outcome === "replayed")
      answers.set(nameOf(event), Math.max(event.id, answers.get(nameOf(event)) ?? 0));
  return (event) =>
    (event.upstreamStatus ?? event.failedWith?.status ?? 0) >= 400 &&
    event.failsRun !== true &&
    event.id < (answers.get(nameOf(event)) ?? 0);
}

function findingsOf(events: readonly RunEvent[], observed: ObservedRun): readonly RunFinding[] {
  const all = events.flatMap((event) =>
    createFindingsOfCall(event, "terminal").map((finding) => ({
      ...finding,
      event,
      failsRun: event.failsRun === true || event.lost !== undefined,
    })),
  );
  const once = groupBy(all, ({ id }) => id).flatMap(([first, ...more]) =>
    first === undefined ? [] : [{ ...first, count: more.length + 1 }],
  );
  return [
    ...once,
    ...observed.passed.map((call) => ({ ...bypassFinding(call, 0), bypassed: call, failsRun: false })),
  ];
}

/** What MetaGPT's cache reports was sent by calls of their own. */
const leftMachine = ({ outcome, cacheFile }: RunEvent): boolean =>
  cacheFile === undefined && (outcome === "recorded" || outcome === "forwarded");

function callingTests(events: readonly RunEvent[]): readonly CallingTest[] {
  return groupBy(events, ({ test }) => getTestId(test)).flatMap((calls) => {
    const test = calls[0]?.test;
    if (test === undefined) return [];
    const begun = Math.min(...calls.map(({ at }) => at));
    return { test, ms: Math.max(...calls.map(({ at, ms }) => at + ms)) - begun };
  });
}

function sharedTrials(events: readonly RunEvent[]): readonly SharedTrials[] {
  if (!events.some(({ outcome }) => outcome === "recorded")) return [];
  const kept = events.filter(({ test, entry }) => test !== undefined && entry !== null);
  const rowsOf = ({ test, entry }: RunEvent): string =>
    `${entry} ${test?.line} ${getTestId(withoutNumbers(test))}`;
  return groupBy(kept, rowsOf).flatMap((calls) => {
    const trials = new Set(calls.map(({ test }) => `${getTestId(test)} ${test?.trial ?? 1}`)).size;
    const test = calls[0]?.test;
    if (test === undefined || trials < 2 || !calls.some(({ outcome }) => outcome === "recorded")) return [];
    return { test, trials };
  });
}

/** Removes the numbers in which the titles of rows differ. Rows that words name, such as backends, are no samples of a reply. */
function withoutNumbers(test: TestRef | undefined): TestRef | undefined {
  return test && { ...test, name: test.name.map((title) => title.replace(/\d+/gu, "#")) };
}

export interface TeamReport {
  /** The name of the cache, without credentials; null if recordings that were downloaded before answered. */
  readonly cache: string | null;
  readonly answered: number;
  readonly downloaded: number;
  /** Calls whose recordings were uploaded. */
  readonly uploaded: number;
  /** Calls whose recordings could not be uploaded. */
  readonly unsent: number;
  /** Why objects of the cache were not used. Each is a call that missed. */
  readonly refused: readonly string[];
  /** Why the cache was not used any more at the end of the run. */
  readonly trouble: string | null;
}

/** Counts from now on; the function that it returns gives the counts at any time. */
export function followTeam({ engine, team }: Deck): (() => TeamReport) | undefined {
  if (team === undefined) return undefined;
  let answered = 0;
  engine.onCall(({ outcome, entry }) => {
    if (outcome === "replayed" && entry !== null && team.isTeams(entry)) answered += 1;
  });
  return () => ({ cache: team.name ?? null, answered, ...team.counts(), trouble: team.trouble() ?? null });
}

/** Lines for people; none if nothing of a team was used. */
export function formatTeamLines({
  cache,
  answered,
  downloaded,
  uploaded,
  unsent,
  refused,
}: TeamReport): readonly string[] {
  const from =
    cache === null
      ? localize(
          "{0} answered from recordings of the team that were downloaded before.",
          formatCount(answered),
        )
      : localize("{0} answered from the team cache {1}.", formatCount(answered), cache);
  return [
    ...(answered > 0 || cache !== null ? [from] : []),
    ...(downloaded > 0
      ? [localizeCount(downloaded, "{0} recording was downloaded.", "{0} recordings were downloaded.")]
      : []),
    ...refused,
    ...(uploaded > 0
      ? [
          localizeCount(
            uploaded,
            "The recordings of {0} call were uploaded to the team cache.",
            "The recordings of {0} calls were uploaded to the team cache.",
          ),
        ]
      : []),
    ...(unsent > 0
      ? [
          localizeCount(
            unsent,
            "The recordings of {0} call could not be uploaded. Upload them with tapedeck team push.",
            "The recordings of {0} calls could not be uploaded. Upload them with tapedeck team push.",
          ),
        ]
      : []),
  ];
}
