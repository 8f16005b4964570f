import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import type { CallEvent, Mode } from "../../core/call/call.ts";
import type { Deck } from "../../deck/deck.ts";
import type { Findings } from "../findings/findings-model.ts";
import { createFlash, createSignal } from "../window/signal.ts";
import { type FolderSessionOptions, type SessionConnection, connectSession } from "./session-connection.ts";
import { resolveCassetteDir } from "./cassette-dir-model.ts";
import { needsAnotherDeck } from "./session-deck.ts";
import { readKeptTeamKey } from "./team-model.ts";
import { SessionLifecycle } from "./session-lifecycle.ts";
import { SessionModel, type SessionState } from "./session-model.ts";
import { SessionRecordings } from "./session-recordings.ts";
import { SessionRuns } from "./session-runs.ts";
import { onDidChangeSettings, readFolderSettings } from "../settings/settings.ts";
import type { ReadSettings, Settings } from "../settings/settings-model.ts";

/**
 * Tapedeck in one workspace folder. It combines the parts that do the work: the recordings, the runs, the server and its
 * variables, the lifecycle, and the findings.
 */
export class Session {
  readonly folder: vscode.WorkspaceFolder;
  /** How commands and addresses name the folder; undefined in a window that can have one only. */
  readonly tag: string | undefined;
  readonly recordings: SessionRecordings;
  readonly runs: SessionRuns;
  readonly connection: SessionConnection;
  readonly lifecycle: SessionLifecycle;
  readonly findings: Findings;
  /** The same object always; its content changes. */
  readonly state: SessionState;
  readonly #options: FolderSessionOptions;
  readonly #signal = createSignal();
  /** Fires when the state, status, mode, settings, or notes changed. One event can stand for many changes. */
  readonly onDidChange = this.#signal.event;
  readonly #model = new SessionModel(() => this.#signal.fireSoon());
  readonly #subscriptions: vscode.Disposable[];
  #settings: ReadSettings;
  readonly #flash = createFlash(() => this.#signal.fireSoon());

  constructor(options: FolderSessionOptions) {
    const { folder, remembered, log, tag } = options;
    this.#options = options;
    this.folder = folder;
    this.tag = tag;
    this.state = this.#model;
    this.findings = this.#model.openFindings;
    this.#settings = readFolderSettings(folder);
    this.runs = this.#createRuns();
    this.recordings = new SessionRecordings({
      folder: folder.uri.fsPath,
      settings: () => this.settings,
      model: this.#model,
      log,
      take: (event) => this.#take(event),
      changed: () => {
        this.#signal.fireSoon();
        if (!this.lifecycle.known) void this.lifecycle.begin();
      },
      stretchOf: (run) => this.runs.stretchOf(run),
      teamKey: () => readKeptTeamKey(options.keys),
    });
    this.connection = connectSession({
      ...options,
      runs: this.runs,
      deck: () => this.deck,
      settings: () => this.settings,
    });
    this.lifecycle = new SessionLifecycle({
      dir: () => resolveCassetteDir(folder.uri.fsPath, this.settings.folder),
      remembered,
      runs: this.runs,
      recordings: this.recordings,
      connection: this.connection,
      log,
      notes: () => this.notes,
      changed: () => this.#signal.fireSoon(),
    });
    this.#subscriptions = [
      this.#signal,
      this.recordings,
      this.runs,
      this.#flash,
      onDidChangeSettings(folder, (changes) => void this.#settingsChanged(changes)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.recordings.readNotes();
        void this.lifecycle.begin();
      }),
    ];
  }

  get deck(): Deck {
    return this.recordings.deck;
  }

  get settings(): Settings {
    return this.#settings.settings;
  }

  get trusted(): boolean {
    return vscode.workspace.isTrusted;
  }

  /** Notes for the user: invalid settings, redirected variables. */
  get notes(): readonly string[] {
    return [...this.#settings.problems, ...this.recordings.problems, ...this.connection.notes];
  }

  /** The result of separate runs, e.g. "2 recorded, 1 replayed", for a few seconds after they ended. */
  get flash(): string | undefined {
    return this.#flash.text;
  }

  showResult(result: string): void {
    this.#flash.show(result);
    this.#signal.fireSoon();
  }

  get mode(): Mode {
    return this.runs.folder.mode;
  }

  /** Changes the mode of the next call in every open terminal. Begins another stretch. */
  async setMode(mode: Mode): Promise<void> {
    this.runs.folder.mode = mode;
    this.#options.log.info(localize("Mode: {0}", mode));
    this.runs.stretch.begin();
    await this.#options.remembered.keepMode(mode);
    // A variable can depend on the mode.
    if (this.lifecycle.status.kind === "ready") await this.lifecycle.begin();
  }

  /** Resolves when the port is free and all notes are written. */
  async close(): Promise<void> {
    for (const one of this.#subscriptions.splice(0)) one.dispose();
    await this.lifecycle.close();
    await this.connection.close();
  }

  #createRuns(): SessionRuns {
    return new SessionRuns({
      mode: this.#options.remembered.mode ?? this.settings.mode,
      model: this.#model,
      tellsStart: () => this.settings.guard,
      changed: () => this.#signal.fireSoon(),
      onEnd: (run, end) => this.recordings.noteEnd(run, end),
      onRunEnd: () => {
        this.#signal.fireSoon();
        void this.lifecycle.closeIfUnneeded();
      },
    });
  }

  #take(event: CallEvent): CallEvent {
    const noted = this.runs.assignCall(event);
    this.#model.addCall(noted);
    this.#model.requests = this.connection.requests;
    this.#signal.fireSoon();
    return noted;
  }

  async #settingsChanged({ mode }: { readonly mode: boolean }): Promise<void> {
    const before = this.settings;
    this.#settings = readFolderSettings(this.folder);
    if (mode) {
      await this.#options.remembered.keepMode(undefined);
      this.runs.folder.mode = this.settings.mode;
      this.runs.stretch.begin();
    }
    if (needsAnotherDeck(before, this.settings)) await this.lifecycle.restart();
    else if (JSON.stringify(before) !== JSON.stringify(this.settings)) await this.lifecycle.begin();
    this.#signal.fireSoon();
  }
}
