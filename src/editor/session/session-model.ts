import { addSpending, NOTHING_SPENT, type Spending } from "../../core/call/spending.ts";
import type { CallEvent, Miss, Run, TestRef } from "../../core/call/call.ts";
import { readEntry } from "../../core/cassette/address.ts";
import { type NewRecording, createCandidate } from "../../storage/local/candidates.ts";
import { addOutcome, type RunCounts } from "../runs/call-counts-model.ts";
import { Findings, type OpenFinding } from "../findings/findings-model.ts";
import type { UnreachedReason } from "../../server/why-unreached.ts";
import { createUsageModel, type UsageModel } from "./usage-model.ts";

/** The calls of a workspace in this window. The object stays the same; its content changes. */
export interface SessionState {
  /** The use of recordings by tests: in this window, and in whole runs on this machine. */
  readonly usage: Omit<UsageModel, "note" | "learn" | "usageIs">;
  /** Newest last; the last 1,000. */
  readonly calls: readonly CallEvent[];
  /** Newest first. */
  readonly findings: readonly OpenFinding[];
  /** By entry: recordings made and not yet accepted. */
  readonly candidates: ReadonlyMap<string, NewRecording>;
  /** Separate runs that are in progress. */
  readonly runs: readonly RunInfo[];
  /** Counts of the calls since the last stretch began. */
  readonly counts: RunCounts;
  /** Cost of the calls that were sent since the last stretch began. */
  readonly spent: Spending;
  /** Number of all requests that reached the server. */
  readonly requests: number;
  /** The last command whose calls did not reach the server, for example "npm test". */
  readonly unreached: string | undefined;
  /** The reason and the fix, if they are known. */
  readonly unreachedWhy: string | undefined;
}

export type RunInfo = Readonly<Pick<Run, "id" | "mode" | "test">>;

const MAX_CALLS = 1_000;

/** The cassette folder as the model uses it. */
export interface FolderView {
  /** Whether a missed call would be answered now. */
  answers(miss: Miss): boolean;
  hasEntry(entry: string): boolean;
}

/** Holds the state. Only its methods change it. */
export class SessionModel implements SessionState {
  readonly calls: CallEvent[] = [];
  readonly candidates = new Map<string, NewRecording>();
  readonly openFindings: Findings;
  counts: RunCounts = {};
  spent = NOTHING_SPENT;
  requests = 0;
  unreached: string | undefined;
  unreachedWhy: string | undefined;
  readonly usage = createUsageModel();
  readonly #runs = new Map<string, RunInfo>();
  #stretch = 0;

  /** `changed`: called when the findings changed for a reason other than a call. */
  constructor(changed?: () => void) {
    this.openFindings = new Findings(changed);
  }

  get findings(): readonly OpenFinding[] {
    return this.openFindings.all;
  }

  get runs(): readonly RunInfo[] {
    return [...this.#runs.values()];
  }

  addCall(event: CallEvent): void {
    this.calls.push(event);
    if (this.calls.length > MAX_CALLS) this.calls.shift();
    this.counts = addOutcome(this.counts, event);
    if (event.charge !== undefined) this.spent = addSpending(this.spent, event.charge);
    this.unreached = undefined;
    this.usage.note(event, this.#stretch);
    this.openFindings.addCall(event, this.#stretch);
    this.#noteCandidate(event);
  }

  /** Restarts the counts for a new run of tests under the workspace's token. */
  beginStretch(): void {
    this.#stretch += 1;
    this.counts = {};
    this.spent = NOTHING_SPENT;
    this.openFindings.beginTest(undefined);
  }

  addRun(run: RunInfo): void {
    this.#runs.set(run.id, run);
    this.unreached = undefined;
    this.openFindings.beginTest(run.test);
  }

  removeRun(id: string): void {
    this.#runs.delete(id);
  }

  /** `test`: the test, if a single one ran. */
  setUnreached(what: string, { cause, ...reason }: UnreachedReason, test?: TestRef): void {
    // If a command ran elsewhere, the cause may also be a terminal that is older than the window.
    const isKnown = test !== undefined || cause !== "unknown";
    this.unreached = what;
    this.unreachedWhy = isKnown ? `${reason.reason} ${reason.fix}` : undefined;
    if (test) this.openFindings.addUnreached(test, what, { cause, ...reason }, Date.now());
  }

  /** Sets all candidates that this window and others noted. */
  setCandidates(candidates: readonly NewRecording[]): void {
    this.candidates.clear();
    for (const one of candidates) this.candidates.set(one.entry, one);
  }

  removeCandidates(entries: readonly string[]): void {
    for (const entry of entries) this.candidates.delete(entry);
  }

  /** Notes whether the tests that made these recordings passed. Returns the recordings that are still new. */
  setOutcome(
    entries: readonly string[],
    outcome: NonNullable<NewRecording["outcome"]>,
  ): readonly NewRecording[] {
    const judged = entries
      .flatMap((entry) => this.candidates.get(entry) ?? [])
      .map((candidate) => ({ ...candidate, outcome }));
    for (const one of judged) this.candidates.set(one.entry, one);
    return judged;
  }

  /**
   * Removes misses that have a recording now, and candidates whose recording is gone. `entry`: the changed entry, if
   * known; a run changes many, one after another.
   */
  checkFolder(now: FolderView, entry?: string): void {
    const address = entry === undefined ? undefined : readEntry(entry);
    const key = address && "key" in address ? address.key : undefined;
    this.openFindings.removeAnswered(
      ({ miss }) => (key === undefined || miss.key === key) && now.answers(miss),
    );
    for (const one of entry === undefined ? this.candidates.keys() : [entry])
      if (this.candidates.has(one) && !now.hasEntry(one)) this.candidates.delete(one);
  }

  /** Adds a candidate. Until the memory reports whether it replaced a recording, refresh mode counts as replacing. */
  #noteCandidate(event: CallEvent): void {
    const candidate = createCandidate(event);
    if (!candidate) return;
    const before = this.candidates.get(candidate.entry);
    const replaces = before ? before.replaces === true : event.mode === "refresh";
    this.candidates.set(candidate.entry, { ...candidate, ...(replaces && { replaces }) });
  }
}
