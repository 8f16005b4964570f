import * as vscode from "vscode";
import type { StoreChange } from "../core/cassette/store.ts";
import { explain, tapedeckError } from "../core/errors.ts";
import type { CallEvent, Mode } from "../core/exchange.ts";
import type { Deck } from "../deck.ts";
import type { StaleEdit } from "./edits/stale-edit-model.ts";
import type { WorkspaceEnvironment } from "./environment.ts";
import type { VariableChange } from "./environment-model.ts";
import { countsOf } from "./call-counts-model.ts";
import { createFlash } from "./flash.ts";
import type { Log } from "./log.ts";
import { OFF } from "./off-reasons-model.ts";
import { runEnvironment } from "./own-runs-model.ts";
import type { Remembered } from "./remembered.ts";
import { cassetteDir, isFolder, needsAnotherDeck } from "./session-deck.ts";
import { createSessionModel, type Candidate, type SessionState } from "./session-model.ts";
import { SessionRecordings } from "./session-recordings.ts";
import { createSessionRuns, type SessionRuns } from "./session-runs.ts";
import { createServing, type ServingOptions, type SessionServer } from "./session-server.ts";
import type { RunOptions, Session, SessionRun, SessionStatus, Undoable } from "./session.ts";
import { onDidChangeSettings, settingsOf } from "./settings.ts";
import type { ReadSettings, Settings } from "./settings-model.ts";
import { createSignal } from "./signal.ts";
import { countsText } from "./status-bar-model.ts";
import type { Origin } from "./usage-model.ts";

export interface SessionOptions {
  readonly folder: vscode.WorkspaceFolder;
  readonly tag: string | undefined;
  readonly log: Log;
  readonly remembered: Remembered;
  readonly environment: WorkspaceEnvironment;
  readonly onTests: ServingOptions["onTests"];
}

/** The session of a folder. `begin()` looks whether it is wanted and starts it; nothing waits for that. */
export class EditorSession implements Session {
  readonly folder: vscode.WorkspaceFolder;
  readonly tag: string | undefined;
  readonly state: SessionState;
  readonly onDidChange: vscode.Event<void>;
  readonly onDidCall: vscode.Event<CallEvent>;
  readonly onDidChangeRecordings: vscode.Event<StoreChange>;
  readonly #options: SessionOptions;
  readonly #model = createSessionModel();
  readonly #signal = createSignal();
  readonly #runs: SessionRuns;
  readonly #recordings: SessionRecordings;
  readonly #serving: ReturnType<typeof createServing>;
  readonly #subscriptions: vscode.Disposable[];
  #settings: ReadSettings;
  #status: SessionStatus = { kind: "off", reason: OFF.unused };
  #hasFolder = false;
  #planNotes: readonly string[] = [];
  readonly #flash = createFlash(() => this.#signal.fireSoon());
  /** Starting, stopping and starting again follow one another. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: SessionOptions) {
    const { folder, remembered, log, onTests } = options;
    this.#options = options;
    this.folder = folder;
    this.tag = options.tag;
    this.#settings = settingsOf(folder);
    this.#runs = createSessionRuns({
      mode: remembered.mode ?? this.settings.mode,
      model: this.#model,
      changed: () => this.#signal.fireSoon(),
      over: (run, end) => this.#recordings.ended(run, end),
      ownOver: (events) => this.#ownRunIsOver(events),
    });
    this.#recordings = new SessionRecordings({
      folder: folder.uri.fsPath,
      settings: () => this.settings,
      model: this.#model,
      log,
      take: (event) => this.#take(event),
      changed: () => this.#folderChanged(),
      stretch: () => this.#runs.stretch,
    });
    this.#serving = createServing({
      deck: () => this.deck,
      run: this.#runs.folder,
      remembered,
      onTests,
      // Of tests in other folders nothing is noted here: their files would be looked for in this one.
      roots: () => [folder.uri.fsPath],
    });
    this.#model.recalledMissing(remembered.missing);
    this.state = this.#model.state;
    this.onDidChange = this.#signal.event;
    this.onDidCall = this.#recordings.onDidCall;
    this.onDidChangeRecordings = this.#recordings.onDidChange;
    this.#subscriptions = [
      this.#signal,
      this.#recordings,
      this.#runs,
      this.#flash,
      onDidChangeSettings(folder, (changes) => void this.#settingsChanged(changes)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => void this.begin()),
    ];
  }

  get deck(): Deck {
    return this.#recordings.deck;
  }

  get settings(): Settings {
    return this.#settings.settings;
  }

  get status(): SessionStatus {
    return this.#status;
  }

  get wanted(): boolean {
    return this.#options.remembered.on ?? this.#hasFolder;
  }

  get known(): boolean {
    return this.#hasFolder || this.#options.remembered.on !== undefined;
  }

  get trusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  get origin(): string | undefined {
    return this.#serving.current?.server.origin;
  }

  get notes(): readonly string[] {
    return [...this.#settings.problems, ...this.#recordings.problems, ...this.#planNotes];
  }

  get flash(): string | undefined {
    return this.#flash.text;
  }

  get mode(): Mode {
    return this.#runs.folder.mode;
  }

  /** Starts what is wanted here. Never throws: what goes wrong is in `status`. */
  begin(): Promise<void> {
    return this.#next(async () => {
      this.#hasFolder = await isFolder(cassetteDir(this.folder.uri.fsPath, this.settings));
      if (!this.trusted) this.#show({ kind: "off", reason: OFF.restricted });
      else if (this.#options.remembered.on === false) this.#show({ kind: "off", reason: OFF.turnedOff });
      else if (!this.wanted) this.#show({ kind: "off", reason: OFF.unused });
      else await this.#start();
    });
  }

  async setMode(mode: Mode): Promise<void> {
    this.#runs.folder.mode = mode;
    this.#options.log.info(`Mode: ${mode}`);
    this.beginStretch();
    await this.#options.remembered.keepMode(mode);
    // A variable may say the mode.
    if (this.status.kind === "ready") await this.begin();
  }

  async turnOn(): Promise<void> {
    await this.#options.remembered.keepOn(true);
    // The folder is what wakes the extension in the next window.
    if (this.trusted) await this.#recordings.remember();
    await this.begin();
  }

  async turnOff(): Promise<void> {
    await this.#options.remembered.keepOn(false);
    await this.#next(async () => {
      this.#options.environment.withdraw();
      this.#show({ kind: "off", reason: OFF.turnedOff });
      await this.#closeUnneeded();
    });
  }

  async restart(): Promise<void> {
    await this.#next(() => this.#shut());
    await this.begin();
  }

  beginStretch(): void {
    this.#runs.beginStretch();
  }

  endStretch(passed?: boolean): void {
    this.#runs.endStretch(passed);
  }

  noteUnreached(what: string): void {
    this.#model.unreachedIs(what);
    this.#signal.fireSoon();
  }

  async startRun(options: RunOptions): Promise<SessionRun> {
    const { environment } = this.#options;
    const { server } = await this.#ensureServer();
    const run = this.deck.createRun(options.mode, options.test);
    for (const [key, mode] of options.overrides ?? []) run.overrides.set(key, mode);
    const admission = server.admit(run);
    const { changes } = await environment.plan(admission.url, this.deck, run.mode);
    const { events, end } = this.#runs.started(run, options, () => admission.revoke());
    return { run, events, end, environment: runEnvironment(options, changes, environment.own()) };
  }

  async environment(): Promise<readonly VariableChange[]> {
    const { admission } = await this.#ensureServer();
    return (await this.#options.environment.plan(admission.url, this.deck, this.mode)).changes;
  }

  propose(candidate: Candidate): Promise<void> {
    return this.#recordings.propose(candidate);
  }

  acceptCandidates(entries: readonly string[]): Promise<void> {
    return this.#recordings.accept(entries);
  }

  discardCandidates(entries: readonly string[]): Promise<Undoable> {
    return this.#recordings.discard(entries);
  }

  dismissMiss(id: string): void {
    this.#model.dismissed(id);
    this.#signal.fireSoon();
  }

  noteEdits(file: string, edits: ReadonlyMap<string, StaleEdit>): void {
    this.#model.editsAre(file, edits);
    this.#signal.fireSoon();
  }

  renameTests(from: string, to: string): void {
    this.#model.renamed(from, to);
    this.#signal.fireSoon();
  }

  learn(entry: string, origin: Origin): void {
    this.#model.learned(entry, origin);
  }

  dispose(): void {
    void this.close();
  }

  /** Resolves when the port is free and what is remembered is written. */
  async close(): Promise<void> {
    for (const one of this.#subscriptions.splice(0)) one.dispose();
    await this.#next(() => this.#shut());
  }

  async #start(): Promise<void> {
    const { environment, log } = this.#options;
    if (this.status.kind !== "ready") this.#show({ kind: "starting" });
    try {
      const { admission, server } = await this.#ensureServer();
      const plan = await environment.plan(admission.url, this.deck, this.mode);
      const { environment: isShared, environmentOfExtensions: extensions } = this.settings;
      if (isShared) environment.contribute(plan, { extensions });
      else environment.withdraw();
      this.#planNotes = isShared ? plan.notes : [];
      if (this.status.kind !== "ready") {
        log.info(`Listening on ${server.origin}, mode ${this.mode}, recordings in ${this.deck.dir}`);
        for (const note of this.notes) log.warn(note);
      }
      this.#show({ kind: "ready" });
    } catch (error) {
      environment.withdraw();
      log.error("The replay server did not start", error);
      this.#show({ kind: "failed", reason: explain(error) });
    }
  }

  async #ensureServer(): Promise<SessionServer> {
    if (this.trusted) return this.#serving.ensure();
    throw tapedeckError("tapedeck_refused", "Tapedeck runs nothing in Restricted Mode.", {
      hint: "Trust the workspace to record and replay.",
    });
  }

  #take(event: CallEvent): CallEvent {
    const noted = this.#runs.took(event);
    this.#model.called(noted);
    this.#model.requestsAre(this.#serving.requests);
    this.#signal.fireSoon();
    return noted;
  }

  #folderChanged(): void {
    this.#signal.fireSoon();
    if (!this.known) void this.begin();
  }

  async #settingsChanged({ mode }: { readonly mode: boolean }): Promise<void> {
    const before = this.settings;
    this.#settings = settingsOf(this.folder);
    if (mode) {
      await this.#options.remembered.keepMode(undefined);
      this.#runs.folder.mode = this.settings.mode;
      this.beginStretch();
    }
    if (needsAnotherDeck(before, this.settings)) await this.restart();
    else if (JSON.stringify(before) !== JSON.stringify(this.settings)) await this.begin();
    this.#signal.fireSoon();
  }

  #ownRunIsOver(events: readonly CallEvent[]): void {
    this.#flash.show(countsText(countsOf(events)));
    this.#signal.fireSoon();
    if (this.status.kind === "off") void this.#next(() => this.#closeUnneeded());
  }

  async #closeUnneeded(): Promise<void> {
    if (this.status.kind === "off" && this.#runs.underWay === 0) await this.#serving.close();
  }

  async #shut(): Promise<void> {
    this.#options.environment.withdraw();
    await this.#serving.close();
    await this.#recordings.close();
  }

  #show(status: SessionStatus): void {
    this.#status = status;
    this.#signal.fireSoon();
  }

  #next(action: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(action);
    return this.#last;
  }
}
