import type * as vscode from "vscode";
import type { StoreChange } from "../../core/cassette/store.ts";
import type { CallEvent, Key, Mode, Run, TestRef } from "../../core/call.ts";
import type { Deck } from "../../deck/deck.ts";
import type { RunnerProcess } from "../../server/runner-process.ts";
import type { Unreached, UnreachedFacts } from "../../server/why-unreached.ts";
import type { PlannedFault } from "../../core/config/mocks.ts";
import type { VariableChange } from "../environment/environment-model.ts";
import type { RunLog } from "../runs/run-log-model.ts";
import type { SessionState } from "./session-model.ts";
import type { OpenFinding } from "../findings/findings-model.ts";
import type { Settings } from "../settings/settings-model.ts";
import type { Origin } from "./usage-model.ts";
import type { Candidate } from "../../storage/local/candidates.ts";

/** Tapedeck in one workspace folder: its recordings, its server, its mode, and what was seen of its calls. */
export interface Session extends vscode.Disposable {
  readonly folder: vscode.WorkspaceFolder;
  /** How commands and addresses name the folder; undefined in a window that can have one only. */
  readonly tag: string | undefined;
  /**
   * There also in Restricted Mode, for reading. Opened when first asked for; another object after a setting that
   * concerns it changed, so ask for it again each time.
   */
  readonly deck: Deck;
  /** The runs of this folder that are remembered. As `deck`, ask for it again each time. */
  readonly runLog: RunLog;
  /** The same object always; its content changes. */
  readonly state: SessionState;
  readonly settings: Settings;
  /** Anything in state, status, mode, settings or notes changed; many changes in one event. */
  readonly onDidChange: vscode.Event<void>;
  /** Every call after its last byte, already taken into `state`. */
  readonly onDidCall: vscode.Event<CallEvent>;
  /** As the deck's `store.watch`, and an event without an entry when the deck is another one. */
  readonly onDidChangeRecordings: vscode.Event<StoreChange>;
  /** Processes in which tests began to run, and that say so: whoever started them. */
  readonly onDidBeginTests: vscode.Event<RunnerProcess>;
  readonly status: SessionStatus;
  /** A person or else the cassette folder says that Tapedeck is wanted here; without that nothing is in the way. */
  readonly wanted: boolean;
  /** Wanted, or turned off by a person. */
  readonly known: boolean;
  readonly trusted: boolean;
  /** Of the server, without a token; undefined while there is none. */
  readonly origin: string | undefined;
  /** What a person should know without being told: settings not taken, variables redirected. */
  readonly notes: readonly string[];
  /** How a run of its own ended, e.g. "2 recorded, 1 replayed"; for a few seconds. */
  readonly flash: string | undefined;
  readonly mode: Mode;
  /** Takes effect with the next call, in every terminal that is open. Begins another stretch. */
  setMode(mode: Mode): Promise<void>;
  /** The workspace's server and variables, remembered for the next window. Resolves when `status` is ready or failed. */
  turnOn(): Promise<void>;
  turnOff(): Promise<void>;
  restart(): Promise<void>;
  readonly stretch: Stretch;
  /** Something ended that should have called and did not, e.g. "npm test". */
  noteUnreached(what: string, runner?: string): void;
  /**
   * A run of its own: mode, test; its token lives until `end()`. Starts the server if needed.
   * `overrides`: how the next call of a key is answered, e.g. strict but for one key.
   * @throws TapedeckError in Restricted Mode and where the server cannot start.
   */
  startRun(options: RunOptions): Promise<SessionRun>;
  /** The next call of each key under the workspace's own run is recorded, whatever the mode. */
  recordNext(keys: readonly Key[]): void;
  /** What a terminal needs to call under the workspace's own run. Starts the server if needed. @throws as `startRun`. */
  environment(): Promise<readonly VariableChange[]>;
  /** A recording that was made by other means than a call is new: to be accepted or discarded. */
  propose(candidate: Candidate): Promise<void>;
  acceptCandidates(entries: readonly string[]): Promise<void>;
  /**
   * Removes the recordings. `onStep`: called after each that was discarded or, when it is undone, restored, with how
   * many are discarded. @throws TapedeckError where one cannot be removed; those before it are.
   */
  discardCandidates(entries: readonly string[], onStep?: (discarded: number) => void): Promise<Undoable>;
  /** Adds what was found out by other means than a call. */
  found(finding: OpenFinding): void;
  dismiss(findings: readonly Pick<OpenFinding, "id">[]): void;
  /** Takes a dismissal back, or adds what another window knew. */
  restore(findings: readonly OpenFinding[]): void;
  /** A test file, or a folder of them, was renamed: its missing calls go with it. Paths as in a TestRef. */
  renameTests(from: string, to: string): void;
  /** For whoever read a recording: its test and age let `state.isStale` recognise it in a fresh window. */
  learn(entry: string, origin: Origin): void;
}

/** The present stretch of the workspace's own run. */
export interface Stretch {
  /** The take counters and the counts start again: what comes now is another run of the tests. */
  begin(): void;
  /**
   * A command, task or debug session began, maybe a moment ago: it begins another stretch, or joins the one that its
   * first calls began, or that something is in the middle of. `running`: how many were under way already.
   */
  noteStart(running: number): StretchStart;
  /** Nothing runs any more that this stretch was begun for: the next call begins another. */
  noteSilence(): void;
  /** All that was started in this stretch has ended. `passed`: whether it did so well, where that is known. */
  end(passed?: boolean): void;
}

/** How something that started stands to the calls. */
interface StretchStart {
  /** The stretch begins with it; else it joins others that are calling. */
  readonly begins: boolean;
  /** Requests that had reached the server before its first. */
  readonly requests: number;
}

export interface SessionStatus {
  readonly kind: "off" | "starting" | "ready" | "failed";
  /** Why it is off or failed: a sentence. */
  readonly reason?: string;
}

export interface RunOptions {
  readonly mode: Mode;
  readonly test?: TestRef;
  /** `test` is a suite or a file: where it fails, nobody knows which of its tests did. */
  readonly isSeveral?: boolean;
  readonly overrides?: ReadonlyMap<Key, Mode>;
  /** What goes wrong on purpose: such a run records nothing, and what its test used else stays as it is known. */
  readonly faults?: readonly PlannedFault[];
}

export interface SessionRun {
  readonly run: Run;
  /** The whole environment for the child, not an addition to one: a terminal needs `strictEnv: true`. */
  readonly environment: Record<string, string>;
  /** The run's calls so far, oldest first. */
  readonly events: readonly CallEvent[];
  /** Why no call of it came, by what its processes said of themselves and by what its starter knows. */
  whyUnreached(known: Pick<UnreachedFacts, "keysMissing" | "output">): Unreached;
  /**
   * Revokes the token. Later calls under it are refused. `passed`: how its test ended, where that is known.
   * `unreached`: why no call came; null where that is nothing to tell of.
   */
  end(passed?: boolean, unreached?: Unreached | null): void;
}

export interface TestEnd {
  /** Whether everything in it passed; undefined where nobody can say. */
  readonly passed: boolean | undefined;
  /** It was one test alone: then a failure is that test's. */
  readonly isOneTest: boolean;
  readonly events: readonly CallEvent[];
}

export interface Undoable {
  /** @throws TapedeckError where a place is taken by now. */
  undo(): Promise<void>;
}
