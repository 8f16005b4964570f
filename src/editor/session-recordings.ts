import * as vscode from "vscode";
import { readEntry } from "../core/cassette/address.ts";
import type { StoreChange } from "../core/cassette/store.ts";
import type { CallEvent } from "../core/exchange.ts";
import type { Deck } from "../deck.ts";
import { discardRecordings } from "./discard.ts";
import type { Log } from "./log.ts";
import { openSessionDeck } from "./session-deck.ts";
import type { SessionDeck } from "./session-deck.ts";
import { createSessionMemory } from "./session-memory.ts";
import type { SessionMemory } from "./session-memory.ts";
import type { SessionModel } from "./session-model.ts";
import type { Undoable } from "./session.ts";
import type { Settings } from "./settings-model.ts";

export interface RecordingsOptions {
  /** The workspace folder's path. */
  readonly folder: string;
  readonly settings: () => Settings;
  readonly model: SessionModel;
  readonly log: Log;
  /** Takes a call into the model, and gives it back as it is told to others. */
  readonly take: (event: CallEvent) => CallEvent;
  /** Something of the model changed that did not come through `take`. */
  readonly changed: () => void;
}

interface Open {
  readonly opened: SessionDeck;
  readonly memory: SessionMemory;
}

/** The deck of a session and what is learned from it: calls, candidates, usage. */
export class SessionRecordings implements vscode.Disposable {
  readonly onDidCall: vscode.Event<CallEvent>;
  readonly onDidChange: vscode.Event<StoreChange>;
  readonly #options: RecordingsOptions;
  readonly #calls = new vscode.EventEmitter<CallEvent>();
  readonly #changes = new vscode.EventEmitter<StoreChange>();
  #open: Open | undefined;

  constructor(options: RecordingsOptions) {
    this.#options = options;
    this.onDidCall = this.#calls.event;
    this.onDidChange = this.#changes.event;
  }

  /** Opened when first asked for. */
  get deck(): Deck {
    return this.#ensureOpen().opened.deck;
  }

  /** One sentence for each setting that the deck could not take. */
  get problems(): readonly string[] {
    return this.#open?.opened.problems ?? [];
  }

  async accept(entries: readonly string[]): Promise<void> {
    this.#options.model.accepted(entries);
    await this.remember();
  }

  /** @throws TapedeckError where a recording cannot be removed; those before it are. */
  async discard(entries: readonly string[]): Promise<Undoable> {
    try {
      const discarded = await discardRecordings(entries, this.deck.store, this.#options.model);
      const undo = async (): Promise<void> => {
        try {
          await discarded.undo();
        } finally {
          await this.remember();
        }
      };
      return { undo };
    } finally {
      await this.remember();
    }
  }

  /** Writes what is remembered, which makes the cassette folder where there is none. */
  remember(): Promise<void> {
    const { memory } = this.#ensureOpen();
    memory.candidatesChanged();
    this.#options.changed();
    return memory.flush();
  }

  /** Closes the deck and writes what is remembered; the next one is opened by the settings of then. */
  async close(): Promise<void> {
    const closing = this.#open;
    this.#open = undefined;
    if (!closing) return;
    await closing.memory.flush();
    await closing.opened.close();
    this.#changes.fire({});
  }

  dispose(): void {
    this.#calls.dispose();
    this.#changes.dispose();
  }

  #ensureOpen(): Open {
    if (this.#open) return this.#open;
    const { model, log, folder, settings, changed } = this.#options;
    const opened = openSessionDeck(folder, settings(), {
      onCall: (event) => this.#called(event),
      onChange: (change) => this.#folderChanged(change),
      onNotice: ({ level, message }) => (level === "info" ? log.info(message) : log.warn(message)),
    });
    for (const problem of opened.problems) log.warn(problem);
    const memory = createSessionMemory({
      dir: opened.deck.dir,
      current: () => model.state.candidates.values(),
      onError: (error) => log.error("What is new in the folder was not remembered", error),
    });
    this.#open = { opened, memory };
    void recall(this.#open, model, changed);
    return this.#open;
  }

  #called(event: CallEvent): void {
    const { take, log, model } = this.#options;
    const taken = take(event);
    log.call(taken);
    if (this.#open) noteUse(taken, this.#open, model);
    this.#calls.fire(taken);
  }

  #folderChanged(change: StoreChange): void {
    const { model, changed } = this.#options;
    if (this.#open) model.folderChanged(folderView(this.#open.opened.deck));
    changed();
    this.#changes.fire(change);
  }
}

async function recall({ opened, memory }: Open, model: SessionModel, changed: () => void): Promise<void> {
  model.recalled(await memory.candidates());
  model.folderChanged(folderView(opened.deck));
  changed();
}

function noteUse(event: CallEvent, { opened, memory }: Open, model: SessionModel): void {
  const { entry, outcome, at, miss, test } = event;
  if (event.key !== null && outcome !== "refused") memory.used(event);
  if (entry !== null && outcome === "recorded") {
    model.learned(entry, { recordedAt: new Date(at).toISOString(), ...(test && { test }) });
    memory.candidatesChanged();
  }
  const nearest = miss?.nearest?.entry;
  if (nearest === undefined) return;
  opened.deck.store.read(nearest).then(
    (recording) => model.learned(nearest, recording),
    () => undefined, // a broken file: the view says so
  );
}

function folderView({ store }: Deck): Parameters<SessionModel["folderChanged"]>[0] {
  return {
    hasKey: (provider, key) => store.takes(provider, key).length > 0,
    hasEntry(entry) {
      const address = readEntry(entry);
      return (
        "key" in address && store.takes(address.provider, address.key).some((take) => take.entry === entry)
      );
    },
  };
}
