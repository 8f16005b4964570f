import type { Limits } from "../core/answer/budget/limits.ts";
import type { Key, Miss, Mode, Outcome, TestRef } from "../core/call/call.ts";
import type { NormalizeRule } from "../core/call/rule.ts";
import type { Spending } from "../core/call/spending.ts";
import { getKeyDigits } from "../core/cassette/address.ts";
import type { Finding } from "../core/view/finding.ts";
import type { Deck } from "../deck/deck.ts";
import type { NewRecording } from "../storage/local/candidates.ts";

/** A call without a recording. */
export interface OpenMiss extends Pick<Miss, "key" | "provider" | "operation" | "model" | "label"> {
  readonly test?: TestRef | undefined;
  /** Milliseconds since the epoch, of the last time. */
  readonly at: number;
  readonly count: number;
  /** The call with its request; absent if only its run is remembered. */
  readonly miss?: Miss | undefined;
  /** The same call of another run of the same code, which shows the fields that change on every run. */
  readonly again?: Miss | undefined;
  /** How it differs from the nearest recording, if the request is not known. */
  readonly note?: string | undefined;
  /** Why its recording cannot be read. */
  readonly broken?: string | undefined;
}

/** The id by which tools name a miss. */
export const getMissId = ({ key }: Pick<OpenMiss, "key">): string => getKeyDigits(key);

/** Whether an id, or more digits of the key, names a miss. */
export const isMissNamed = (miss: Pick<OpenMiss, "key">, id: string): boolean =>
  id.startsWith(getMissId(miss));

/** A run of a test, a suite, or a file. */
export interface TestRun {
  /** An empty name refers to the whole file. */
  readonly test: TestRef;
  /** Absent for a strict run. */
  readonly record?: {
    /** How the next call of these keys is answered; absent if all missing calls of the test are recorded. */
    readonly keys?: ReadonlyMap<Key, Mode>;
    readonly limits: Limits;
  };
  readonly signal: AbortSignal;
}

export interface TestRunResult {
  readonly hasPassed: boolean;
  /** Whether no test ran, as far as known. */
  readonly isEmpty?: boolean;
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
  readonly missing: readonly OpenMiss[];
  /** Other problems of its calls. */
  readonly problems: readonly Finding[];
  /** Absent if no call was sent. */
  readonly spent?: Spending | undefined;
  /** The end of the test's output; empty if it was shown to the user instead. */
  readonly output: string;
}

/** What agents may do in one project. Each program implements it with its own runs, files, and views. */
export interface AgentProject {
  /** The project folder, absolute. Test files are relative to it. */
  readonly root: string;
  readonly deck: Deck;
  /** Reads settings again, such as rules that were edited meanwhile. */
  refresh(): Promise<void>;
  /** The calls that are missing now, newest first. */
  missing(): Promise<readonly OpenMiss[]>;
  /** @throws TapedeckError if the test cannot be started */
  run(run: TestRun): Promise<TestRunResult>;
  /** Returns the limits of a run that records: those requested, if the person's own are not lower. */
  applyLimits(requested: Limits): Limits;
  /** Adds rules to `tapedeck.jsonc` and resolves to the number of recordings that they rename. */
  addRules(rules: readonly NormalizeRule[]): Promise<number>;
  /** Marks a recording as new, so that a person reviews it. */
  markNew(recording: NewRecording): Promise<void>;
}

/** A question that only a person may answer. */
export interface ApprovalRequest {
  readonly title: string;
  readonly detail: string;
  /** The limits within which money may be spent; absent if nothing is paid. */
  readonly limits?: Limits;
}

/** Resolves to whether a person agrees; false if no person can be asked. */
export type Ask = (question: ApprovalRequest) => Promise<boolean>;

/** The circumstances of one tool call. */
export interface CallContext {
  readonly project: AgentProject;
  readonly signal: AbortSignal;
}
