import { localize } from "../../core/base/localize.ts";
import type * as vscode from "vscode";
import {
  type CallEvent,
  type Key,
  type Mode,
  type Run,
  type TestRef,
  canLeaveMachine,
} from "../../core/call/call.ts";
import { createRun } from "../../core/answer/runs.ts";
import { type FolderStretch, type TestRunEnd, createFolderStretch } from "./stretch-model.ts";
import type { GuardNote } from "../../server/guard-notes.ts";
import { type RunObserver, createRunObserver } from "../../server/run-observer.ts";
import { type UnreachedReason, type UnreachedFacts, explainUnreached } from "../../server/why-unreached.ts";
import { pickDefined } from "../../core/base/pick-defined.ts";
import type { SessionModel } from "./session-model.ts";
import { type VariableChange, applyChanges, withoutPlaceholders } from "../environment/environment-model.ts";

/** The id of the run that terminals, tasks and other extensions' processes share. */
export const WORKSPACE_RUN = "workspace";

interface RunsOptions {
  readonly mode: Mode;
  readonly model: SessionModel;
  /** Whether processes of runs report that they start. */
  readonly tellsStart: () => boolean;
  readonly changed: () => void;
  /** Called when a run or a stretch ended, with the known results of its tests. */
  readonly onEnd: (name: string, end: TestRunEnd) => void;
  /** Called when a separate run ended, after `onEnd`. */
  readonly onRunEnd: () => void;
}

/** The runs of a session: the folder's own, in stretches, and those of single tests. */
export class SessionRuns implements vscode.Disposable {
  /** The folder's own run, which terminals, tasks, and other extensions' processes share. */
  readonly folder: Run;
  readonly stretch: FolderStretch;
  readonly #options: RunsOptions;
  readonly #own = new Map<string, OwnRun>();
  readonly #seen = new Map<string, RunObserver>();

  constructor(options: RunsOptions) {
    const { mode, model, changed, onEnd } = options;
    this.#options = options;
    this.folder = createRun({ id: WORKSPACE_RUN, mode });
    this.stretch = createFolderStretch({
      run: this.folder,
      model,
      changed,
      onEnd: (number, end) => onEnd(stretchName(number), end),
    });
  }

  /** Number of separate runs in progress. */
  get activeCount(): number {
    return this.#own.size;
  }

  /** Returns the test run that a call belongs to now: a separate run, or the current stretch of the folder's run. */
  stretchOf(run: string): string {
    return run === WORKSPACE_RUN ? stretchName(this.stretch.number) : run;
  }

  /** Adds a report that a process sent about itself. */
  noteReport(note: GuardNote): void {
    const { model, changed } = this.#options;
    this.#reportsOf(this.stretchOf(note.run.id)).note(note);
    if (note.kind !== "passed") return;
    model.openFindings.addBypassed(note, Date.now());
    changed();
  }

  /** The next call of each key under the folder's own run is recorded, whatever the mode. */
  recordNext(keys: readonly Key[]): void {
    for (const key of keys) this.folder.overrides.set(key, "record");
  }

  /** Notes that a command such as "npm test" ended without a call. `runner` names its test runner. */
  noteUnreached(what: string, runner?: string): void {
    const observed = this.#reportsOf(this.stretchOf(WORKSPACE_RUN)).whole();
    // A process may have started before the editor reported its command, so it is unknown whether one started.
    const reason = explainUnreached({ observed, runner, tellsStart: false, keysMissing: [] });
    this.#options.model.setUnreached(what, reason);
    this.#options.changed();
  }

  /** Assigns a call to its run. Returns the event that listeners receive. */
  assignCall(event: CallEvent): CallEvent {
    const own = this.#own.get(event.run);
    // A single call can be answered in another mode than its run.
    const mode = event.key === null ? undefined : own?.overrides?.get(event.key);
    const noted = mode === undefined ? event : { ...event, mode };
    own?.events.push(noted);
    if (noted.run === WORKSPACE_RUN) this.stretch.addCall(noted);
    return noted;
  }

  /** Begins a separate run. `revoke` is called once, when the run ends. */
  beginRun(
    run: Run,
    { test, overrides, isSeveral }: RunOptions,
    revoke: () => void,
  ): Pick<SessionRun, "events" | "end" | "whyUnreached"> {
    const { model, tellsStart, onEnd, onRunEnd } = this.#options;
    const events: CallEvent[] = [];
    this.#own.set(run.id, { events, overrides });
    model.addRun({ id: run.id, mode: run.mode, ...pickDefined({ test }) });
    this.stretch.beginShown();
    const whyUnreached: SessionRun["whyUnreached"] = (known) =>
      explainUnreached({ ...known, observed: this.#reportsOf(run.id).whole(), tellsStart: tellsStart() });
    const end: SessionRun["end"] = (passed, unreached = whyUnreached({ keysMissing: [] })) => {
      if (!this.#own.delete(run.id)) return;
      revoke();
      if (passed === true && run.test) model.openFindings.endTest(run.test, events);
      if (events.length === 0 && unreached !== null) model.setUnreached(runName(run), unreached, run.test);
      onEnd(run.id, { passed, isOneTest: isSeveral !== true, events });
      model.removeRun(run.id);
      onRunEnd();
    };
    return { events, end, whyUnreached };
  }

  dispose(): void {
    this.stretch.dispose();
  }

  /** The reports from the processes of a run. */
  #reportsOf(run: string): RunObserver {
    const known = this.#seen.get(run) ?? createRunObserver();
    this.#seen.set(run, known);
    const [oldest] = this.#seen.size > RUNS ? this.#seen.keys() : [];
    if (oldest !== undefined) this.#seen.delete(oldest);
    return known;
  }
}

const stretchName = (number: number): string => `${WORKSPACE_RUN}/${number}`;

/** Maximum runs that are remembered. Reports from processes of older runs are not needed. */
const RUNS = 20;

interface OwnRun {
  readonly events: CallEvent[];
  readonly overrides: RunOptions["overrides"];
}

/** Variables that VS Code sets for its own processes. In a child, they make Electron and git ask the wrong program. */
const OF_THE_HOST = /^(?:VSCODE_|ELECTRON_)/u;

/** The whole environment of a run's process. It has no placeholder keys if the run may call providers. */
export function createRunEnvironment(
  options: Pick<RunOptions, "mode" | "overrides">,
  changes: readonly VariableChange[],
  own: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const modes: readonly Mode[] = [options.mode, ...(options.overrides?.values() ?? [])];
  const fitting = modes.some(canLeaveMachine) ? withoutPlaceholders(changes) : changes;
  const inherited = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !OF_THE_HOST.test(entry[0]),
  );
  return { ...Object.fromEntries(inherited), ...applyChanges(fitting, own) };
}

/** Name of a run in the message about its end. */
function runName({ test }: Pick<Run, "test">): string {
  if (test === undefined) return localize("The run");
  return test.name.length === 0 ? test.file : test.name.join(" › ");
}

export interface RunOptions {
  readonly mode: Mode;
  readonly test?: TestRef;
  /** `test` is a suite or a file: if it fails, it is unknown which of its tests failed. */
  readonly isSeveral?: boolean;
  readonly overrides?: ReadonlyMap<Key, Mode>;
}

export interface SessionRun {
  readonly run: Run;
  /** The whole environment for the child, not an addition to one: a terminal needs `strictEnv: true`. */
  readonly environment: Record<string, string>;
  /** The run's calls so far, oldest first. */
  readonly events: readonly CallEvent[];
  /** Returns why the run made no call, from the reports of its processes and from what its starter knows. */
  whyUnreached(known: Pick<UnreachedFacts, "keysMissing" | "output">): UnreachedReason;
  /**
   * Revokes the token. Later calls under it are refused. `passed`: whether its test passed, if known.
   * `unreached`: why the run made no call; null if there is nothing to report.
   */
  end(passed?: boolean, unreached?: UnreachedReason | null): void;
}
