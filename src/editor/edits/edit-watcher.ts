import * as vscode from "vscode";
import type { CallEvent, Key } from "../../core/exchange.ts";
import { sha256 } from "../../storage/sha256.ts";
import { TEST_LANGUAGES } from "../code/code-deps.ts";
import { pathIn } from "../folder-path.ts";
import type { Log } from "../log.ts";
import type { Session } from "../session.ts";
import { createTestFinder, type TestFinder } from "../tests/find-tests-model.ts";
import { testsOfEntry } from "../views/document-actions.ts";
import type { RecordingIndex } from "../views/recording-index-model.ts";
import { createBaselines, type EditBaselines } from "./edit-baselines.ts";
import type { StaleEdit } from "./stale-edit-model.ts";
import { createLiteralReader, type LiteralReader } from "./literals-model.ts";
import { staleByEdit, type EditedRecording } from "./stale-by-edit-model.ts";
import type { SourceState } from "./visible-source-model.ts";

export interface EditWatcherOptions {
  readonly grammarsDir: string;
  readonly log: Log;
}

/** A person types: so long after the last key the file is looked at. */
const AFTER_MS = 300;
/** Up to so many recordings all are looked at, because a prompt may stand in any file. */
const FEW = 1_000;

interface Parsers {
  readonly literals: LiteralReader;
  readonly finder: TestFinder;
}

/**
 * Tells the session what edits of source files will do to recordings, before any test runs. Files are looked at when
 * they are edited; what they are compared with is what their tests last ran.
 */
export function watchEdits(
  session: Session,
  index: RecordingIndex,
  { grammarsDir, log }: EditWatcherOptions,
): vscode.Disposable {
  const looker = createLooker(session, index, grammarsDir);
  const waiting = new Map<string, NodeJS.Timeout>();
  /** Files that were edited in this window: only of these anything is ever said. */
  const edited = new Map<string, vscode.TextDocument>();

  const soon = (file: string, document: vscode.TextDocument): void => {
    clearTimeout(waiting.get(file));
    const timer = setTimeout(() => {
      waiting.delete(file);
      looker.look(file, document).catch((error: unknown) => log.error("edits", error));
    }, AFTER_MS);
    waiting.set(file, timer);
  };
  const again = (): void => edited.forEach((document, file) => soon(file, document));
  const changed = (document: vscode.TextDocument): void => {
    const file = fileOf(document, session);
    if (file === undefined || !session.wanted) return;
    edited.set(file, document);
    soon(file, document);
  };
  return vscode.Disposable.from(
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0) changed(document);
    }),
    vscode.workspace.onDidOpenTextDocument((document) => {
      const file = session.wanted ? fileOf(document, session) : undefined;
      if (file !== undefined) looker.opened(file);
    }),
    vscode.workspace.onDidCloseTextDocument((document) => {
      if (edited.has(fileOf(document, session) ?? "")) changed(document);
    }),
    session.onDidCall((event) => {
      looker.called(event, edited.keys());
      again();
    }),
    session.onDidChangeRecordings(again),
    { dispose: () => waiting.forEach((timer) => clearTimeout(timer)) },
    looker,
  );
}

interface Looker extends vscode.Disposable {
  look(file: string, document: vscode.TextDocument): Promise<void>;
  /** A file that may be edited: what it is now is what was run, if nobody wrote to it since. */
  opened(file: string): void;
  called(event: CallEvent, edited: Iterable<string>): void;
}

function createLooker(session: Session, index: RecordingIndex, grammarsDir: string): Looker {
  const baselines = createBaselines(session);
  let parsers: Promise<Parsers> | undefined;

  const stateOf = async (text: string, language: string): Promise<SourceState> => {
    parsers ??= loadParsers(grammarsDir);
    const { literals, finder } = await parsers;
    return { ...(await literals.read(text, language)), tests: await finder.findTests(text, language) };
  };
  const answers = (provider: string, key: Key): string | undefined =>
    session.deck.store.takes(provider, key)[0]?.entry;
  /** By file, the look that began last: one that began earlier and takes longer has nothing to say. */
  const latest = new Map<string, symbol>();
  return {
    async look(file, document) {
      const turn = Symbol(file);
      latest.set(file, turn);
      const now = await textOf(document);
      const found = new Map<string, StaleEdit>();
      const recordings = now === undefined ? [] : await recordingsFor(file, session, index);
      for (const [before, own] of await byBaseline(recordings, file, baselines)) {
        if (now === undefined || before === now) continue;
        const { languageId } = document;
        const states = { before: await stateOf(before, languageId), now: await stateOf(now, languageId) };
        const normalise = session.deck.project.current.normaliser;
        const sources = { recordings: own, sha256, answers, ...(normalise && { normalise }) };
        const edits = staleByEdit({ file, ...states }, sources);
        for (const [entry, edit] of edits) found.set(entry, edit);
      }
      if (latest.get(file) === turn) session.noteEdits(file, found);
    },
    opened: (file) => void baselines.before(file),
    called({ test, entry }, edited) {
      for (const file of [test?.file, test?.at?.file]) if (file !== undefined) baselines.called(file);
      if (entry !== null) baselines.used(entry, edited);
    },
    dispose() {
      void parsers?.then(({ literals, finder }) => [literals, finder].forEach((one) => one.dispose()));
    },
  };
}

/** Recordings by the text that the file had for them; without those of which nobody can say. */
async function byBaseline(
  recordings: readonly EditedRecording[],
  file: string,
  baselines: EditBaselines,
): Promise<ReadonlyMap<string, readonly EditedRecording[]>> {
  const groups = new Map<string, EditedRecording[]>();
  for (const one of recordings) {
    const text = await baselines.of(file, one.entry);
    if (text === undefined) continue;
    const group = groups.get(text);
    if (group) group.push(one);
    else groups.set(text, [one]);
  }
  return groups;
}

async function loadParsers(grammarsDir: string): Promise<Parsers> {
  return {
    literals: await createLiteralReader({ grammarsDir }),
    finder: await createTestFinder({ grammarsDir }),
  };
}

/** Relative to the folder, as tests name it; undefined for a file that can hold no prompt of its tests. */
function fileOf(document: vscode.TextDocument, { folder }: Session): string | undefined {
  return vscode.languages.match(TEST_LANGUAGES, document) === 0 ? undefined : pathIn(folder, document.uri);
}

/** What is open counts as it is, saved or not; of a closed one, what is on disk. */
async function textOf(document: vscode.TextDocument): Promise<string | undefined> {
  if (!document.isClosed) return document.getText();
  try {
    return new TextDecoder().decode(await vscode.workspace.fs.readFile(document.uri));
  } catch {
    return undefined; // deleted
  }
}

/** Recordings of tests of this file or that call from it; all of them where there are few. */
async function recordingsFor(
  file: string,
  session: Session,
  index: RecordingIndex,
): Promise<readonly EditedRecording[]> {
  index.readAll();
  await index.settled();
  const entries = [...(await index.addresses()).keys()];
  const found: EditedRecording[] = [];
  for (const entry of entries) {
    const tests = testsOfEntry(entry, { session, index });
    const isCalledFrom = session.state.isCalledFrom(entry, file);
    const isOwn = isCalledFrom || tests.some((test) => test.file === file);
    if (!isOwn && entries.length > FEW) continue;
    const recording = await session.deck.store.read(entry).catch(() => undefined); // the view says so
    if (recording) found.push({ entry, tests, recording, isCalledFrom });
  }
  return found;
}
