import type * as vscode from "vscode";
import type { CallEvent, Key } from "../../core/call.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import { READ_LIMITS, readText } from "../../storage/folder/read-file.ts";
import { sha256 } from "../../storage/folder/sha256.ts";
import type { Session } from "../session/session.ts";
import { createTestFinder, type TestFinder } from "../test-discovery/find-tests-model.ts";
import { testsOfEntry } from "../documents/document-actions.ts";
import type { RecordingIndex } from "../calls-tree/recording-index-model.ts";
import { createLiteralReader, type LiteralReader } from "./literals-model.ts";
import { staleByEdit, type EditedRecording } from "./stale-by-edit-model.ts";
import type { StaleEdit } from "./stale-edit-model.ts";
import { sourceWithoutSecrets, type SourceState } from "./visible-source-model.ts";
import { stat } from "node:fs/promises";
import * as path from "node:path";
import { addTo } from "../../core/group-by.ts";

/** Up to so many recordings all are looked at, because a prompt may stand in any file. */
const FEW = 1_000;

interface Parsers {
  readonly literals: LiteralReader;
  readonly finder: TestFinder;
}

/** Compares source files with what their tests last ran, and tells the session what the difference does. */
export interface EditLooker extends vscode.Disposable {
  look(file: string, document: vscode.TextDocument): Promise<void>;
  /** A file that may be edited: what it is now is what was run, if nobody wrote to it since. */
  opened(file: string): void;
  called(event: CallEvent, edited: Iterable<string>): void;
}

export function createEditLooker(session: Session, index: RecordingIndex, grammarsDir: string): EditLooker {
  const baselines = createBaselines(session);
  let parsers: Promise<Parsers> | undefined;

  const stateOf = async (text: string, language: string): Promise<SourceState> => {
    parsers ??= loadParsers(grammarsDir);
    const { literals, finder } = await parsers;
    const source = {
      ...(await literals.read(text, language)),
      tests: await finder.findTests(text, language),
    };
    const { scan } = session.deck.project.current;
    return scan === undefined ? source : sourceWithoutSecrets(source, scan);
  };
  const answers = (provider: string, key: Key): string | undefined =>
    session.deck.store.takes(provider, key)[0]?.entry;
  /** By file, the look that began last: one that began earlier and takes longer has nothing to say. */
  const latest = new Map<string, symbol>();
  return {
    async look(file, document) {
      const turn = Symbol(file);
      latest.set(file, turn);
      const now = await readDocument(document);
      const found = new Map<string, StaleEdit>();
      const recordings = now === undefined ? [] : await recordingsFor(file, session, index);
      for (const [before, own] of await byBaseline(recordings, file, baselines)) {
        if (now === undefined || before === now) continue;
        const { languageId } = document;
        const states = { before: await stateOf(before, languageId), now: await stateOf(now, languageId) };
        const { normaliser: normalise, scan } = session.deck.project.current;
        const rules = pickDefined({ normalise, scan });
        const sources = { recordings: own, sha256, answers, ...rules };
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
    if (text !== undefined) addTo(groups, text, one);
  }
  return groups;
}

async function loadParsers(grammarsDir: string): Promise<Parsers> {
  return {
    literals: await createLiteralReader({ grammarsDir }),
    finder: await createTestFinder({ grammarsDir }),
  };
}

/** What is open counts as it is, saved or not; of a closed one, what is on disk. */
async function readDocument(document: vscode.TextDocument): Promise<string | undefined> {
  if (!document.isClosed) return document.getText();
  const whole = { most: READ_LIMITS.source, links: "followed" } as const;
  return readText(document.uri.fsPath, whole).catch(() => undefined); // deleted
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

/** What source files were when recordings were last used: an edit is what differs from that. */
interface EditBaselines {
  /** A call used this recording now: for it these files are what they are on disk. */
  used(entry: string, files: Iterable<string>): void;
  /** Tests call from this file now: what is on disk is what they run. */
  called(file: string): void;
  /** The text of a file as it was for a recording, or undefined where nobody can say. */
  of(file: string, entry: string): Promise<string | undefined>;
  /** The same for the recordings that were not used since. */
  before(file: string): Promise<string | undefined>;
}

type Text = Promise<string | undefined>;

/** Clocks of file systems are coarse, and a test that is saved and run at once is still what ran. */
const COARSE_MS = 1_000;
/** A run makes many calls: a file is read again after so long. */
const FRESH_MS = 500;

/** Files are named relative to the session's folder, with "/". */
function createBaselines(session: Session): EditBaselines {
  const first = new Map<string, Text>();
  /** By file, then by entry. */
  const later = new Map<string, Map<string, Text>>();
  const read = createReader(session.folder.uri.fsPath);

  /** In a fresh window: the text on disk, unless it was written after its tests were last seen. */
  async function readUnlessWritten(file: string): Text {
    const usedAt = session.state.lastUseIn(file);
    if (usedAt === undefined) return undefined;
    const stats = await stat(path.join(session.folder.uri.fsPath, file)).catch(() => undefined);
    return !stats || stats.mtimeMs > usedAt + COARSE_MS ? undefined : read(file);
  }
  async function before(file: string): Text {
    const known = first.get(file) ?? readUnlessWritten(file);
    first.set(file, known);
    const text = await known;
    // What is not known yet may be known later, once what is remembered was read.
    if (text === undefined && first.get(file) === known) first.delete(file);
    return text;
  }

  return {
    before,
    of: (file, entry) => later.get(file)?.get(entry) ?? before(file),
    called(file) {
      if (!first.has(file)) first.set(file, read(file));
    },
    used(entry, files) {
      for (const file of files) {
        const texts = later.get(file) ?? new Map<string, Text>();
        later.set(file, texts.set(entry, read(file)));
      }
    },
  };
}

function createReader(folder: string): (file: string) => Text {
  const texts = new Map<string, { readonly at: number; readonly text: Text }>();
  return (file) => {
    const known = texts.get(file);
    const now = Date.now();
    if (known && now - known.at < FRESH_MS) return known.text;
    const options = { most: READ_LIMITS.source, links: "followed" } as const;
    const text = readText(path.join(folder, file), options).catch(() => undefined);
    texts.set(file, { at: now, text });
    return text;
  };
}
