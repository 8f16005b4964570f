import { addSpending, NOTHING_SPENT, type Spending } from "../../core/budget/spending.ts";
import type { CallEvent, Miss, Mode, TestRef } from "../../core/call.ts";
import { readEntry } from "../../core/cassette/address.ts";
import type { Usage } from "../../core/usage/usage.ts";
import { type Candidate, candidateFromCall } from "../../storage/local/candidates.ts";
import { addOutcome, NO_COUNTS, type Counts } from "../runs/call-counts-model.ts";
import { Findings, type OpenFinding } from "../findings/findings-model.ts";
import type { Unreached } from "../../server/why-unreached.ts";
import { createUsageModel, type Origin, type TestName, type UsageAnswers } from "./usage-model.ts";

/** What is known of a workspace's calls in this window. The object stays, its content changes. */
export interface SessionState extends UsageAnswers {
  /** Newest last; the last 1,000. */
  readonly calls: readonly CallEvent[];
  /** What is wrong with calls, newest first. */
  readonly findings: readonly OpenFinding[];
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

/** Holds the state and the only ways in which it changes. */
export interface SessionModel {
  readonly state: SessionState;
  readonly findings: Findings;
  called(event: CallEvent): void;
  /** A new run of tests under the workspace's token: counts start again. */
  stretchBegan(): void;
  runStarted(run: RunInfo): void;
  runEnded(id: string): void;
  /** All candidates as they are remembered, by this window and others. */
  recalled(candidates: readonly Candidate[]): void;
  accepted(entries: readonly string[]): void;
  /** How the tests ended that made these recordings. Gives those that are still new. */
  judged(entries: readonly string[], outcome: NonNullable<Candidate["outcome"]>): readonly Candidate[];
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
}

/** What the model asks of the cassette folder. */
export interface FolderView {
  /** Whether a missed call would be answered now. */
  answers(miss: Miss): boolean;
  hasEntry(entry: string): boolean;
}

interface Content {
  readonly calls: CallEvent[];
  readonly findings: Findings;
  readonly candidates: Candidates;
  readonly runs: Map<string, RunInfo>;
  counts: Counts;
  spent: Spending;
  requests: number;
  unreached: { readonly what: string; readonly why: string | undefined } | undefined;
  stretch: number;
}

export function createSessionModel(changed?: () => void): SessionModel {
  const content = noContent(changed);
  const usage = createUsageModel();
  return {
    state: stateOf(content, usage),
    findings: content.findings,
    called(event) {
      content.calls.push(event);
      if (content.calls.length > MAX_CALLS) content.calls.shift();
      content.counts = addOutcome(content.counts, event);
      if (event.charge !== undefined) content.spent = addSpending(content.spent, event.charge);
      content.unreached = undefined;
      // A test that is put out on purpose says nothing of what it asks for else.
      if (content.runs.get(event.run)?.isFaulty === true) return;
      usage.note(event, content.stretch);
      content.findings.called(event, content.stretch);
      noteCandidate(content.candidates, event);
    },
    stretchBegan() {
      content.stretch += 1;
      content.counts = NO_COUNTS;
      content.spent = NOTHING_SPENT;
      content.findings.began(undefined);
    },
    runStarted(run) {
      content.runs.set(run.id, run);
      content.unreached = undefined;
      content.findings.began(run.test);
    },
    runEnded: (id) => void content.runs.delete(id),
    learned: (entry, origin) => usage.learn(entry, origin),
    usageIs: (known, isGone) => usage.usageIs(known, isGone),
    requestsAre: (count) => void (content.requests = count),
    unreachedIs(what, reason, test) {
      // Of what runs elsewhere, a terminal that is older than the window may be the cause as well.
      const isKnown = test !== undefined || reason.cause !== "unknown";
      content.unreached = { what, why: isKnown ? `${reason.why} ${reason.mend}` : undefined };
      if (test) content.findings.unreached(test, what, reason, Date.now());
    },
    ...candidateChanges(content.candidates),
    folderChanged(now, entry) {
      const address = entry === undefined ? undefined : readEntry(entry);
      const key = address && "key" in address ? address.key : undefined;
      content.findings.answered(({ miss }) => (key === undefined || miss.key === key) && now.answers(miss));
      const { candidates } = content;
      for (const one of entry === undefined ? candidates.keys() : [entry])
        if (candidates.has(one) && !now.hasEntry(one)) candidates.delete(one);
    },
  };
}

function noContent(changed?: () => void): Content {
  return {
    calls: [],
    findings: new Findings(changed),
    candidates: new Map(),
    runs: new Map(),
    counts: NO_COUNTS,
    spent: NOTHING_SPENT,
    requests: 0,
    unreached: undefined,
    stretch: 0,
  };
}

function stateOf(content: Content, usage: ReturnType<typeof createUsageModel>): SessionState {
  return {
    calls: content.calls,
    candidates: content.candidates,
    get findings() {
      return content.findings.all;
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
