import { addSpending, NOTHING_SPENT, type Spending } from "../../core/budget/spending.ts";
import type { CallEvent, Miss, Mode, TestRef } from "../../core/call.ts";
import { readEntry } from "../../core/cassette/address.ts";
import type { Usage } from "../../core/usage/usage.ts";
import { type Candidate, candidateFromCall } from "../../storage/local/candidates.ts";
import { addOutcome, NO_COUNTS, type Counts } from "../runs/call-counts-model.ts";
import { createFaultRuns, type FaultRun, type FaultRuns } from "../mocks/fault-runs-model.ts";
import {
  createExecutions,
  type Executions,
  missingChanges,
  renameCalls,
  noteMadeUp,
  noteMiss,
  type MissingCalls,
  type MissingCall,
} from "./missing-calls-model.ts";
import type { Finding } from "../../core/finding.ts";
import type { Unreached } from "../../server/why-unreached.ts";
import { createTroubles, type Troubles } from "../troubles/troubles-model.ts";
import { createUsageModel, type Origin, type TestName, type UsageAnswers } from "./usage-model.ts";

/** What is known of a workspace's calls in this window. The object stays, its content changes. */
export interface SessionState extends UsageAnswers {
  /** Newest last; the last 1,000. */
  readonly calls: readonly CallEvent[];
  /** Outstanding misses, newest first. */
  readonly missing: readonly MissingCall[];
  /** Calls that were given made-up answers and have no recording since, newest first; the last 200. */
  readonly madeUp: readonly MissingCall[];
  /** How tests ended that were run with a fault on purpose, newest first; the last of each test and fault. */
  readonly faultRuns: readonly FaultRun[];
  /** By entry: recordings made and not yet accepted. */
  readonly candidates: ReadonlyMap<string, Candidate>;
  /** Runs of their own under way. */
  readonly runs: readonly RunInfo[];
  /** Since the last stretch began. */
  readonly counts: Counts;
  /** What calls took that were sent since the last stretch began. */
  readonly spent: Spending;
  /** That reached the server, ever. */
  readonly requests: number;
  /** What went wrong before an answer could be kept, newest first. */
  readonly troubles: readonly Finding[];
  /** What ran last and made no call that reached the server, e.g. "npm test". */
  readonly unreached: string | undefined;
  /** Why it made none, and what mends that, where that is known. */
  readonly unreachedWhy: string | undefined;
}

export interface RunInfo {
  readonly id: string;
  readonly mode: Mode;
  readonly test?: TestRef;
  /** What goes wrong on purpose in it. */
  readonly isFaulty?: boolean;
}

const MAX_CALLS = 1_000;
const MAX_MADE_UP = 200;

/** Holds the state and the only ways in which it changes. */
export interface SessionModel {
  readonly state: SessionState;
  called(event: CallEvent): void;
  /** A new run of tests under the workspace's token: counts start again. */
  stretchBegan(): void;
  runStarted(run: RunInfo): void;
  runEnded(id: string): void;
  /** All candidates as they are remembered, by this window and others. */
  recalled(candidates: readonly Candidate[]): void;
  /** Missing calls remembered from another window, newest first. What is known now stands. */
  recalledMissing(calls: readonly MissingCall[]): void;
  /** Test files have another name by now, or lie in a folder that has. */
  renamed(from: string, to: string): void;
  accepted(entries: readonly string[]): void;
  /** How the tests ended that made these recordings. Gives those that are still new. */
  judged(entries: readonly string[], outcome: NonNullable<Candidate["outcome"]>): readonly Candidate[];
  dismissed(id: string): void;
  /**
   * The folder changed: misses that have a recording now go, so do candidates that are gone. `entry`: the one that
   * changed, where it is known; a run changes many, one after another.
   */
  folderChanged(now: FolderView, entry?: string): void;
  learned(entry: string, origin: Origin): void;
  /** What is remembered of whole runs. `isGone`: whether a test is not in its file any more. */
  usageIs(usage: Usage, isGone: (test: TestName) => boolean): void;
  requestsAre(count: number): void;
  /** `test`: the one that ran by itself. */
  unreachedIs(what: string, reason: Unreached, test?: TestRef): void;
  passed: Troubles["passed"];
  recalledTroubles: Troubles["recalled"];
  faultRunEnded(run: FaultRun): void;
}

/** What the model asks of the cassette folder. */
export interface FolderView {
  /** Whether a missed call would be answered now. */
  answers(miss: Miss): boolean;
  hasEntry(entry: string): boolean;
}

interface Content {
  readonly calls: CallEvent[];
  readonly missing: MissingCalls;
  readonly madeUp: MissingCalls;
  readonly faultRuns: FaultRuns;
  readonly executions: Executions;
  readonly candidates: Candidates;
  readonly runs: Map<string, RunInfo>;
  counts: Counts;
  spent: Spending;
  requests: number;
  unreached: { readonly what: string; readonly why: string | undefined } | undefined;
  readonly troubles: Troubles;
  stretch: number;
}

export function createSessionModel(): SessionModel {
  const content = noContent();
  const usage = createUsageModel();
  return {
    state: stateOf(content, usage),
    called(event) {
      content.calls.push(event);
      if (content.calls.length > MAX_CALLS) content.calls.shift();
      content.counts = addOutcome(content.counts, event);
      if (event.charge !== undefined) content.spent = addSpending(content.spent, event.charge);
      content.unreached = undefined;
      // A test that is put out on purpose says nothing of what it asks for else.
      if (content.runs.get(event.run)?.isFaulty === true) return;
      usage.note(event, content.stretch);
      noteMiss(content, event);
      noteMadeUp({ ...content, missing: content.madeUp }, event);
      const [oldest] = content.madeUp.size > MAX_MADE_UP ? content.madeUp.keys() : [];
      if (oldest !== undefined) content.madeUp.delete(oldest);
      content.troubles.called(event, content.stretch);
      noteCandidate(content.candidates, event);
    },
    stretchBegan() {
      content.stretch += 1;
      content.counts = NO_COUNTS;
      content.spent = NOTHING_SPENT;
      content.troubles.began(undefined);
    },
    runStarted(run) {
      content.runs.set(run.id, run);
      content.unreached = undefined;
      content.troubles.began(run.test);
    },
    runEnded: (id) => void content.runs.delete(id),
    learned: (entry, origin) => usage.learn(entry, origin),
    usageIs: (known, isGone) => usage.usageIs(known, isGone),
    requestsAre: (count) => void (content.requests = count),
    ...missingChanges(content.missing, content.madeUp),
    ...troubleChanges(content),
    ...candidateChanges(content.candidates),
    folderChanged(now, entry) {
      const address = entry === undefined ? undefined : readEntry(entry);
      const key = address && "key" in address ? address.key : undefined;
      for (const calls of [content.missing, content.madeUp])
        for (const [id, { miss }] of calls)
          if ((key === undefined || miss.key === key) && now.answers(miss)) calls.delete(id);
      const { candidates } = content;
      for (const one of entry === undefined ? candidates.keys() : [entry])
        if (candidates.has(one) && !now.hasEntry(one)) candidates.delete(one);
    },
  };
}

/** The ways in which it changes what went wrong. */
function troubleChanges(
  content: Content,
): Pick<
  SessionModel,
  "unreachedIs" | "passed" | "recalledTroubles" | "renamed" | "faultRunEnded" | "dismissed"
> {
  return {
    unreachedIs(what, reason, test) {
      // Of what runs elsewhere, a terminal that is older than the window may be the cause as well.
      const isKnown = test !== undefined || reason.cause !== "unknown";
      content.unreached = { what, why: isKnown ? `${reason.why} ${reason.mend}` : undefined };
      if (test) content.troubles.unreached(test, what, reason, Date.now());
    },
    passed: (note, at) => content.troubles.passed(note, at),
    recalledTroubles: (troubles) => content.troubles.recalled(troubles),
    renamed(from, to) {
      content.troubles.renamed(from, to);
      renameCalls(content, from, to);
    },
    faultRunEnded: (run) => content.faultRuns.ended(run),
    dismissed(id) {
      content.missing.delete(id);
      content.madeUp.delete(id);
      content.faultRuns.dismissed(id);
      content.troubles.dismissed(id);
    },
  };
}

function noContent(): Content {
  return {
    calls: [],
    missing: new Map(),
    madeUp: new Map(),
    faultRuns: createFaultRuns(),
    executions: createExecutions(),
    candidates: new Map(),
    runs: new Map(),
    counts: NO_COUNTS,
    spent: NOTHING_SPENT,
    requests: 0,
    unreached: undefined,
    troubles: createTroubles(),
    stretch: 0,
  };
}

function stateOf(content: Content, usage: ReturnType<typeof createUsageModel>): SessionState {
  return {
    calls: content.calls,
    candidates: content.candidates,
    get missing() {
      return [...content.missing.values()].reverse();
    },
    get madeUp() {
      return [...content.madeUp.values()].reverse();
    },
    get faultRuns() {
      return content.faultRuns.all;
    },
    get runs() {
      return [...content.runs.values()];
    },
    get counts() {
      return content.counts;
    },
    get spent() {
      return content.spent;
    },
    get requests() {
      return content.requests;
    },
    get unreached() {
      return content.unreached?.what;
    },
    get unreachedWhy() {
      return content.unreached?.why;
    },
    get troubles() {
      return content.troubles.all;
    },
    entriesOf: (test) => usage.entriesOf(test),
    testsOf: (entry) => usage.testsOf(entry),
    cachedEntries: () => usage.cachedEntries(),
    isStale: (entry) => usage.isStale(entry),
    whyUnused: (entry) => usage.whyUnused(entry),
  };
}

/** Recordings made and not yet accepted, by entry. */
type Candidates = Map<string, Candidate>;

/** What it replaced, if anything, the memory finds out; until then what was asked of the mode is taken for it. */
function noteCandidate(candidates: Candidates, event: CallEvent): void {
  const candidate = candidateFromCall(event);
  if (!candidate) return;
  const before = candidates.get(candidate.entry);
  const replaces = before ? before.replaces === true : event.mode === "refresh";
  candidates.set(candidate.entry, { ...candidate, ...(replaces && { replaces }) });
}

/** The ways in which candidates change without a call. */
function candidateChanges(candidates: Candidates): Pick<SessionModel, "recalled" | "accepted" | "judged"> {
  return {
    recalled(all) {
      candidates.clear();
      for (const one of all) candidates.set(one.entry, one);
    },
    accepted(entries) {
      for (const entry of entries) candidates.delete(entry);
    },
    judged(entries, outcome) {
      const fresh = entries.flatMap((entry) => candidates.get(entry) ?? []);
      const judged = fresh.map((candidate) => ({ ...candidate, outcome }));
      for (const one of judged) candidates.set(one.entry, one);
      return judged;
    },
  };
}
