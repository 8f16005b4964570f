import * as vscode from "vscode";
import type { StoreChange } from "../../core/cassette/store.ts";
import type { CallEvent, Key, Mode } from "../../core/call.ts";
import type { Deck } from "../../deck/deck.ts";
import type { RunnerProcess } from "../../server/runner-process.ts";
import type { VariableChange } from "../environment/environment-model.ts";
import type { RunLog } from "../runs/run-log-model.ts";
import { countsOf } from "../runs/call-counts-model.ts";
import { createFlash, createSignal } from "../window/signal.ts";
import { connectSession, type SessionConnection, type SessionOptions } from "./session-connection.ts";
import { cassetteDirIn } from "./cassette-dir-model.ts";
import { needsAnotherDeck } from "./session-deck.ts";
import { keptTeamKey } from "../team/team-model.ts";
import { SessionLifecycle } from "./session-lifecycle.ts";
import type { OpenFinding } from "../findings/findings-model.ts";
import { createSessionModel, type SessionState } from "./session-model.ts";
import { SessionRecordings } from "./session-recordings.ts";
import { createSessionRuns, type SessionRuns } from "./session-runs.ts";
import type { RunOptions, Session, SessionRun, SessionStatus, Stretch } from "./session.ts";
import { onDidChangeSettings, settingsOf } from "../settings/settings.ts";
import type { ReadSettings, Settings } from "../settings/settings-model.ts";
import { countsText } from "../status-bar/status-bar-model.ts";
import type { Origin } from "./usage-model.ts";
import type { Candidate } from "../../storage/local/candidates.ts";

/**
 * The session of a folder, put together of its parts. `begin()` looks whether it is wanted and starts it; nothing waits
 * for that.
 */
export class EditorSession implements Session {
  readonly folder: vscode.WorkspaceFolder;
  readonly tag: string | undefined;
  readonly onDidCall: vscode.Event<CallEvent>;
  readonly onDidChangeRecordings: vscode.Event<StoreChange>;
  readonly #options: SessionOptions;
  readonly #model = createSessionModel();
  readonly state: SessionState = this.#model.state;
  readonly #signal = createSignal();
  readonly onDidChange = this.#signal.event;
  readonly #tests = new vscode.EventEmitter<RunnerProcess>();
  readonly onDidBeginTests = this.#tests.event;
  readonly #runs: SessionRuns;
  readonly #recordings: SessionRecordings;
  readonly #connection: SessionConnection;
  readonly #lifecycle: SessionLifecycle;
  readonly #subscriptions: vscode.Disposable[];
  #settings: ReadSettings;
  readonly #flash = createFlash(() => this.#signal.fireSoon());

  constructor(options: SessionOptions) {
    const { folder, remembered, log } = options;
    this.#options = options;
    this.folder = folder;
    this.tag = options.tag;
    this.#settings = settingsOf(folder);
    this.#runs = this.#createRuns();
    this.#recordings = new SessionRecordings({
      folder: folder.uri.fsPath,
      settings: () => this.settings,
      model: this.#model,
      log,
      take: (event) => this.#take(event),
      changed: () => {
        this.#signal.fireSoon();
        if (!this.known) void this.begin();
      },
      stretchOf: (run) => this.#runs.stretchOf(run),
      teamKey: () => keptTeamKey(options.keys),
    });
    this.#connection = connectSession({
      ...options,
      runs: this.#runs,
      deck: () => this.deck,
      settings: () => this.settings,
      testsBegan: (runner) => this.#tests.fire(runner),
    });
    this.#lifecycle = new SessionLifecycle({
      dir: () => cassetteDirIn(folder.uri.fsPath, this.settings.folder),
      remembered,
      runs: this.#runs,
      recordings: this.#recordings,
      connection: this.#connection,
      log,
      notes: () => this.notes,
      changed: () => this.#signal.fireSoon(),
    });
    this.onDidCall = this.#recordings.onDidCall;
    this.onDidChangeRecordings = this.#recordings.onDidChange;
    this.#subscriptions = [
      this.#signal,
      this.#tests,
      this.#recordings,
      this.#runs,
      this.#flash,
      onDidChangeSettings(folder, (changes) => void this.#settingsChanged(changes)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#trusted()),
    ];
  }

  get deck(): Deck {
    return this.#recordings.deck;
  }

  get runLog(): RunLog {
    return this.#recordings.runLog;
  }

  get settings(): Settings {
    return this.#settings.settings;
  }

  get status(): SessionStatus {
    return this.#lifecycle.status;
  }

  get wanted(): boolean {
    return this.#lifecycle.wanted;
  }

  get known(): boolean {
    return this.#lifecycle.known;
  }

  get trusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  get origin(): string | undefined {
    return this.#connection.origin;
  }

  get notes(): readonly string[] {
    return [...this.#settings.problems, ...this.#recordings.problems, ...this.#connection.notes];
  }

  get flash(): string | undefined {
    return this.#flash.text;
  }

  get stretch(): Stretch {
    return this.#runs.stretch;
  }

  get mode(): Mode {
    return this.#runs.folder.mode;
  }

  /** Starts what is wanted here. Never throws: what goes wrong is in `status`. */
  readonly begin = (): Promise<void> => this.#lifecycle.begin();

  async setMode(mode: Mode): Promise<void> {
    this.#runs.folder.mode = mode;
    this.#options.log.info(`Mode: ${mode}`);
    this.stretch.begin();
    await this.#options.remembered.keepMode(mode);
    // A variable may say the mode.
    if (this.status.kind === "ready") await this.begin();
  }

  readonly turnOn = (): Promise<void> => this.#lifecycle.turnOn();
  readonly turnOff = (): Promise<void> => this.#lifecycle.turnOff();
  readonly restart = (): Promise<void> => this.#lifecycle.restart();

  recordNext(keys: readonly Key[]): void {
    for (const key of keys) this.#runs.folder.overrides.set(key, "record");
  }

  noteUnreached(what: string, runner?: string): void {
    this.#model.unreachedIs(what, this.#runs.whyUnreached(runner));
    this.#signal.fireSoon();
  }

  readonly startRun = (options: RunOptions): Promise<SessionRun> => this.#connection.startRun(options);
  readonly environment = (): Promise<readonly VariableChange[]> => this.#connection.environment();
  readonly propose = (candidate: Candidate): Promise<void> => this.#recordings.propose(candidate);
  readonly acceptCandidates = (entries: readonly string[]): Promise<void> => this.#recordings.accept(entries);
  readonly discardCandidates: Session["discardCandidates"] = (entries, onStep) =>
    this.#recordings.discard(entries, onStep);

  found(finding: OpenFinding): void {
    this.#model.findings.add(finding);
    this.#signal.fireSoon();
  }

  dismiss(findings: readonly Pick<OpenFinding, "id">[]): void {
    for (const { id } of findings) this.#model.findings.dismissed(id);
    this.#signal.fireSoon();
  }

  restore(findings: readonly OpenFinding[]): void {
    this.#model.findings.recalled(findings);
    this.#signal.fireSoon();
  }

  renameTests(from: string, to: string): void {
    this.#model.findings.renamed(from, to);
    this.#signal.fireSoon();
  }

  readonly learn = (entry: string, origin: Origin): void => this.#model.learned(entry, origin);

  dispose(): void {
    void this.close();
  }

  /** Resolves when the port is free and what is remembered is written. */
  async close(): Promise<void> {
    for (const one of this.#subscriptions.splice(0)) one.dispose();
    await this.#lifecycle.close();
    await this.#connection.close();
  }

  #createRuns(): SessionRuns {
    return createSessionRuns({
      mode: this.#options.remembered.mode ?? this.settings.mode,
      model: this.#model,
      tellsStart: () => this.settings.guard,
      changed: () => this.#signal.fireSoon(),
      over: (run, end) => this.#recordings.ended(run, end),
      ownOver: (events) => this.#ownRunIsOver(events),
    });
  }

  #take(event: CallEvent): CallEvent {
    const noted = this.#runs.took(event);
    this.#model.called(noted);
    this.#model.requestsAre(this.#connection.requests);
    this.#signal.fireSoon();
    return noted;
  }

  #trusted(): void {
    this.#recordings.recall();
    void this.begin();
  }

  async #settingsChanged({ mode }: { readonly mode: boolean }): Promise<void> {
    const before = this.settings;
    this.#settings = settingsOf(this.folder);
    if (mode) {
      await this.#options.remembered.keepMode(undefined);
      this.#runs.folder.mode = this.settings.mode;
      this.stretch.begin();
    }
    if (needsAnotherDeck(before, this.settings)) await this.restart();
    else if (JSON.stringify(before) !== JSON.stringify(this.settings)) await this.begin();
    this.#signal.fireSoon();
  }

  #ownRunIsOver(events: readonly CallEvent[]): void {
    this.#flash.show(countsText(countsOf(events)));
    this.#signal.fireSoon();
    void this.#lifecycle.ownRunIsOver();
  }
}
