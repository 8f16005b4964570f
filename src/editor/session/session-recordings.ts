import { localize } from "../../core/base/localize.ts";
import * as path from "node:path";
import * as vscode from "vscode";
import { existsSync } from "node:fs";
import { explain } from "../../core/base/errors.ts";
import type { RecordingUsage, UsageTest } from "../../core/view/usage/usage.ts";
import { type NewRecording, addCandidates, discardCandidates } from "../../storage/local/candidates.ts";
import { openLocalFolder, getLocalPath } from "../../storage/local/local-state.ts";
import type { StoreChange } from "../../core/cassette/store.ts";
import type { CallEvent } from "../../core/call/call.ts";
import type { Deck } from "../../deck/deck.ts";
import { readArrivalTime } from "../../storage/folder/arrival.ts";
import type { Log } from "../window/log.ts";
import { type OpenRunLog, type RunLog, createRunLog } from "../runs/run-log-model.ts";
import { type SessionDeck, type SessionDeckOptions, openSessionDeck } from "./session-deck.ts";
import { reportUnwritable } from "./show-failure.ts";
import { type SessionMemory, createSessionMemory } from "./session-memory.ts";
import type { FolderView, SessionModel } from "./session-model.ts";
import type { Undoable } from "../window/undo-model.ts";
import type { Origin } from "./usage-model.ts";
import type { RunHead } from "../../core/view/run-record/run-record-text.ts";
import { completeCalls, completeRun } from "../../deck/complete-calls.ts";
import { keepRun, listRuns, createRunId, readRun } from "../../storage/runs/kept-runs.ts";
import { noteTimings } from "../../storage/runs/timings.ts";
import type { TestRunEnd } from "./stretch-model.ts";

interface RecordingsOptions extends Pick<SessionDeckOptions, "folder" | "settings" | "teamKey"> {
  readonly model: SessionModel;
  readonly log: Log;
  /** Adds a call to the model, and returns it for other listeners. */
  readonly take: (event: CallEvent) => CallEvent;
  /** Called when the model changed other than through `take`. */
  readonly changed: () => void;
  /** Returns the run of the tests to which a call of this run belongs now. */
  readonly stretchOf: (run: string) => string;
}

/** Milliseconds after a change of the folder or its notes until the notes of other processes are read. */
const RECALL_AFTER_MS = 1_000;
const NOTES = "{candidates,usage}.json";

interface OpenFolder {
  readonly opened: SessionDeck;
  readonly memory: SessionMemory;
  readonly runLog: OpenRunLog;
  /** Watches the notes, which are written after their recordings. */
  readonly watcher: vscode.Disposable;
}

/** The deck of a session and the facts from it: calls, candidates, and usage. */
export class SessionRecordings implements vscode.Disposable {
  /** Fires for every call after its last byte. The state already contains it. */
  readonly onDidCall: vscode.Event<CallEvent>;
  /** Fires as the deck's `store.watch`, and without an entry when the deck was replaced. */
  readonly onDidChange: vscode.Event<StoreChange>;
  readonly #options: RecordingsOptions;
  readonly #calls = new vscode.EventEmitter<CallEvent>();
  readonly #changes = new vscode.EventEmitter<StoreChange>();
  #open: OpenFolder | undefined;
  #recalling: NodeJS.Timeout | undefined;

  constructor(options: RecordingsOptions) {
    this.#options = options;
    this.onDidCall = this.#calls.event;
    this.onDidChange = this.#changes.event;
  }

  /**
   * The deck, which Restricted Mode only reads. It is opened on first use and replaced after a change of its settings,
   * so get it again each time.
   */
  get deck(): Deck {
    return this.#ensureOpen().opened.deck;
  }

  /** The stored runs of this folder. The object changes with the deck. */
  get runLog(): RunLog {
    return this.#ensureOpen().runLog;
  }

  /** One sentence for each setting that the deck could not use. */
  get problems(): readonly string[] {
    if (!this.#open) return [];
    const { deck, problems } = this.#open.opened;
    const { problem } = deck.project.current;
    return problem ? [...problems, explain(problem)] : problems;
  }

  /** Notes the test and age of a recording that was read, which `state.usage.isStale` needs in a new window. */
  learn(entry: string, origin: Origin): void {
    this.#options.model.usage.learn(entry, origin);
  }

  /** Marks a recording that no call made as new, so that a person accepts or discards it. */
  async propose(candidate: NewRecording): Promise<void> {
    const { recordedAt, entry, test } = candidate;
    const { opened, memory } = this.#ensureOpen();
    this.#options.model.usage.learn(entry, { recordedAt: new Date(recordedAt).toISOString(), test });
    await memory.change(() => addCandidates(opened.deck.dir, [candidate]));
  }

  async accept(entries: readonly string[]): Promise<void> {
    this.#options.model.removeCandidates(entries);
    this.#options.changed();
    await this.#ensureOpen().memory.accept(entries);
  }

  /** Reads the notes of this window and others beside the recordings, if the folder is trusted. */
  readNotes(): void {
    if (vscode.workspace.isTrusted) void this.#open?.memory.read();
  }

  /** Notes the end of a run of the tests, which settles its new recordings and their use. */
  noteEnd(run: string, { passed, isOneTest, events }: TestRunEnd): void {
    const { model, settings, changed, log } = this.#options;
    if (!this.#open) return;
    const { opened, memory, runLog } = this.#open;
    runLog.endRun(run, passed);
    // If every repeat gets the first take, the other takes are never requested.
    memory.noteEnd(run, passed === true && opened.deck.project.repeats === "takes");
    // If one of several tests failed, it is unknown which.
    if (passed === undefined || (!passed && !isOneTest)) return;
    const made = events.flatMap(({ entry, outcome }) => (outcome === "recorded" && entry ? [entry] : []));
    const judged = model.setOutcome(made, passed ? "passed" : "failed");
    if (judged.length === 0) return;
    memory.noteOutcomes(judged);
    if (passed && settings().accept === "passed")
      this.accept(judged.map(({ entry }) => entry)).catch((error: unknown) => log.error("accept", error));
    changed();
  }

  /** Removes the recordings. @throws TapedeckError if one cannot be removed; those before it are removed */
  async discard(entries: readonly string[]): Promise<Pick<Undoable, "undo">> {
    const { opened, memory } = this.#ensureOpen();
    const { dir, store } = opened.deck;
    const { undo } = await memory.change(() => discardCandidates({ dir, store }, entries));
    return { undo: () => memory.change(undo) };
  }

  /** Creates the cassette folder if it does not exist, because it activates the extension in the next window. */
  async createFolder(): Promise<void> {
    await openLocalFolder(this.deck.dir);
    this.#options.changed();
  }

  /** Closes the deck and writes the notes. The next deck uses the settings of its time. */
  async close(): Promise<void> {
    const closing = this.#open;
    this.#open = undefined;
    if (!closing) return;
    clearTimeout(this.#recalling);
    closing.watcher.dispose();
    await closing.memory.flush();
    await closing.runLog.close();
    await closing.opened.close();
    this.#changes.fire({});
  }

  dispose(): void {
    this.#calls.dispose();
    this.#changes.dispose();
  }

  #ensureOpen(): OpenFolder {
    if (this.#open) return this.#open;
    const { log } = this.#options;
    const unwritable = reportUnwritable();
    const opened = openSessionDeck({
      ...this.#options,
      onCall: (event) => {
        if (event.outcome === "recorded") unwritable.recorded();
        this.#addCall(event);
      },
      onChange: (change) => this.#checkFolder(change),
      onNotice(notice) {
        if (notice.level === "info") log.info(notice.message);
        else log.warn(notice.message);
        if (notice.unwritable) unwritable.failed(notice.unwritable);
      },
    });
    for (const problem of opened.problems) log.warn(problem);
    const memory = createSessionMemory({
      dir: opened.deck.dir,
      onCandidates: (candidates) => this.#setCandidates(candidates),
      onUsage: (usage) => void this.#setUsage(usage),
      onProblem: (problem) => log.warn(problem),
    });
    const watcher = watchNotes(opened.deck.dir, () => this.#readNotesSoon());
    const runLog = openRunLog(opened.deck, {
      kept: () => this.#options.changed(),
      warn: (problem) => log.warn(problem),
    });
    this.#open = { opened, memory, runLog, watcher };
    this.readNotes();
    return this.#open;
  }

  #setCandidates(candidates: readonly NewRecording[]): void {
    const { model, changed } = this.#options;
    model.setCandidates(candidates);
    if (this.#open) model.checkFolder(folderView(this.#open.opened.deck));
    changed();
  }

  /** Looks up deleted tests in their files, because recordings that only deleted tests used are unused. */
  async #setUsage(usage: RecordingUsage): Promise<void> {
    const { model, folder, changed } = this.#options;
    model.usage.setUsage(usage, await findGoneTests(usage, folder));
    changed();
  }

  #addCall(event: CallEvent): void {
    const { take, log, model, stretchOf } = this.#options;
    const taken = take(event);
    log.call(taken);
    if (this.#open) {
      const stretch = stretchOf(taken.run);
      this.#open.runLog.addCall(taken, stretch);
      noteUse(taken, this.#open, { model, stretch });
    }
    this.#calls.fire(taken);
  }

  #checkFolder(change: StoreChange): void {
    const { model, changed } = this.#options;
    if (this.#open) model.checkFolder(folderView(this.#open.opened.deck), change.entry);
    changed();
    this.#changes.fire(change);
    this.#readNotesSoon();
  }

  #readNotesSoon(): void {
    this.#recalling ??= setTimeout(() => {
      this.#recalling = undefined;
      this.readNotes();
    }, RECALL_AFTER_MS);
  }
}

async function findGoneTests(usage: RecordingUsage, folder: string): Promise<(test: UsageTest) => boolean> {
  if (usage.tests.size === 0) return () => false;
  const { createTestFinder, findGone, listUsageTests } = await import("../../storage/check/test-presence.ts");
  return findGone(listUsageTests(usage), createTestFinder([folder]));
}

function watchNotes(dir: string, changed: () => void): vscode.Disposable {
  const folder = vscode.Uri.file(path.join(dir, getLocalPath("")));
  const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, NOTES));
  return vscode.Disposable.from(watcher, watcher.onDidChange(changed), watcher.onDidCreate(changed));
}

function noteUse(
  event: CallEvent,
  { opened, memory }: OpenFolder,
  { model, stretch }: { readonly model: SessionModel; readonly stretch: string },
): void {
  const { entry, outcome, at, miss, test } = event;
  if (event.key !== null && outcome !== "refused") memory.addCall(event, stretch);
  if (entry !== null && outcome === "recorded")
    model.usage.learn(entry, { recordedAt: new Date(at).toISOString(), test });
  const nearest = miss?.nearest?.entry;
  if (miss === undefined || nearest === undefined) return;
  const learn = async ({ deck }: SessionDeck): Promise<void> => {
    const recording = await deck.store.read(nearest);
    model.usage.learn(nearest, { ...recording, arrivedAt: readArrivalTime(deck.dir, nearest) });
    if (await deck.hasRules({ miss, times: 1, at }, recording)) model.openFindings.noteRules(miss.key);
  };
  learn(opened).catch(() => undefined); // a broken file: the view shows it
}

function folderView(deck: Deck): FolderView {
  return {
    answers: (miss) => deck.answerTo(miss) !== undefined,
    // The store searches by key, but a file's name can differ from its key.
    hasEntry: (entry) => existsSync(path.join(deck.dir, entry)) || deck.team?.isTeams(entry) === true,
  };
}

/**
 * The runs that are stored beside a deck's recordings. They are not read before the folder is trusted, and not written
 * either, because no server runs.
 */
function openRunLog(
  deck: Deck,
  { kept, warn }: { readonly kept: () => void; readonly warn: (problem: string) => void },
): OpenRunLog {
  const { dir } = deck;
  const heads = new Map<string, RunHead>();
  return createRunLog({
    newId: createRunId,
    complete: (calls) => completeCalls(calls, deck),
    async keep(record) {
      await noteTimings(dir, record.calls);
      await keepRun(dir, record);
      kept();
    },
    kept: {
      list: async () => (vscode.workspace.isTrusted ? listRuns(dir, heads) : []),
      async read(id) {
        const record = vscode.workspace.isTrusted ? await readRun(dir, id) : undefined;
        return record && completeRun(record, deck);
      },
    },
    failed: (error) => warn(localize("A run cannot be stored: {0}", explain(error))),
  });
}
