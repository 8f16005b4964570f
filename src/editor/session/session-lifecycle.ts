import { localize } from "../../core/base/localize.ts";
import * as vscode from "vscode";
import { createQueue } from "../../core/base/queue.ts";
import { explain } from "../../core/base/errors.ts";
import type { Log } from "../window/log.ts";
import type { WindowMemory } from "../window/remembered.ts";
import type { SessionConnection } from "./session-connection.ts";
import type { CassetteDir } from "./cassette-dir-model.ts";
import { isFolder } from "./session-deck.ts";
import type { SessionRecordings } from "./session-recordings.ts";
import type { SessionRuns } from "./session-runs.ts";

export interface SessionStatus {
  readonly kind: "off" | "starting" | "ready" | "failed";
  /** One sentence on why it is off or failed. */
  readonly reason?: string;
}

interface LifecycleOptions {
  /** The cassette folder of the current settings. */
  readonly dir: () => CassetteDir;
  readonly remembered: Pick<WindowMemory, "on" | "keepOn">;
  readonly runs: SessionRuns;
  readonly recordings: SessionRecordings;
  readonly connection: SessionConnection;
  readonly log: Log;
  /** Returns notes for the user after the start. */
  readonly notes: () => readonly string[];
  /** Called when the status changed. */
  readonly changed: () => void;
}

/** Starts and stops a session, one action after the other. */
export class SessionLifecycle {
  readonly #options: LifecycleOptions;
  #status: SessionStatus = { kind: "off", reason: OFF.unused };
  #hasFolder = false;
  readonly #next = createQueue();

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  get status(): SessionStatus {
    return this.#status;
  }

  /** Whether a person turned Tapedeck on here or, without such a choice, whether the cassette folder exists. */
  get wanted(): boolean {
    return this.#options.remembered.on ?? this.#hasFolder;
  }

  /** Whether the cassette folder exists, or a person turned Tapedeck on or off here. */
  get known(): boolean {
    return this.#hasFolder || this.#options.remembered.on !== undefined;
  }

  /** Starts Tapedeck here if it is wanted. Never throws: failures are in `status`. */
  begin(): Promise<void> {
    return this.#next(async () => {
      const { dir, fault } = this.#options.dir();
      // A session that was on stays on if the settings name a folder that is still empty.
      this.#hasFolder ||= fault !== undefined || (await isFolder(dir));
      if (!vscode.workspace.isTrusted) this.#show({ kind: "off", reason: OFF.restricted });
      else if (this.#options.remembered.on === false) this.#show({ kind: "off", reason: OFF.turnedOff });
      else if (fault !== undefined) this.#show({ kind: "failed", reason: fault });
      else if (!this.wanted) this.#show({ kind: "off", reason: OFF.unused });
      else await this.#start();
    });
  }

  /** Resolves when `status` is ready or failed. The choice is stored for the next window. */
  async turnOn(): Promise<void> {
    const { remembered, recordings } = this.#options;
    await remembered.keepOn(true);
    // The folder activates the extension in the next window.
    if (vscode.workspace.isTrusted && this.#options.dir().fault === undefined)
      await recordings.createFolder();
    await this.begin();
  }

  async turnOff(): Promise<void> {
    const { remembered, connection } = this.#options;
    await remembered.keepOn(false);
    await this.#next(async () => {
      connection.withdraw();
      this.#show({ kind: "off", reason: OFF.turnedOff });
      await this.#closeUnneeded();
    });
  }

  async restart(): Promise<void> {
    await this.close();
    await this.begin();
  }

  /** Closes the server after a separate run if it was started only for that run. */
  async closeIfUnneeded(): Promise<void> {
    if (this.#status.kind === "off") await this.#next(() => this.#closeUnneeded());
  }

  /** Resolves when the port is free and all notes are written. */
  close(): Promise<void> {
    const { connection, recordings } = this.#options;
    return this.#next(async () => {
      connection.withdraw();
      await connection.closeServer();
      await recordings.close();
    });
  }

  async #start(): Promise<void> {
    const { connection, recordings, runs, log, notes } = this.#options;
    const wasReady = this.#status.kind === "ready";
    if (!wasReady) this.#show({ kind: "starting" });
    try {
      const origin = await connection.open();
      if (!wasReady) {
        const { dir } = recordings.deck;
        log.info(localize("Listening on {0}, mode {1}, recordings in {2}", origin, runs.folder.mode, dir));
        for (const note of notes()) log.warn(note);
      }
      this.#show({ kind: "ready" });
    } catch (error) {
      connection.withdraw();
      log.error(localize("The replay server did not start"), error);
      this.#show({ kind: "failed", reason: explain(error) });
    }
  }

  async #closeUnneeded(): Promise<void> {
    const { connection, runs } = this.#options;
    if (this.#status.kind === "off" && runs.activeCount === 0) await connection.closeServer();
  }

  #show(status: SessionStatus): void {
    this.#status = status;
    this.#options.changed();
  }
}

/** Reasons why a session is off, for people. */
const OFF = {
  restricted: localize(
    "In Restricted Mode, you can read recordings, but nothing runs. Trust the workspace to start Tapedeck.",
  ),
  unused: localize(
    "It is not used in this workspace yet. When it is on, it points the LLM clients of new terminals to itself.",
  ),
  turnedOff: localize("It is turned off in this workspace."),
} as const;
