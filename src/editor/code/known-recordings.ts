import type { Session } from "../session.ts";
import { testsOfEntry } from "../views/document-actions.ts";
import type { RecordingIndex } from "../views/recording-index-model.ts";
import type { TestRecording } from "./test-states-model.ts";

/** Every recording whose tests are known so far, lazily. */
export function* knownRecordings(session: Session, index: RecordingIndex): Iterable<TestRecording> {
  const { state } = session;
  for (const [{ entry, key }] of index.known()) {
    const tests = testsOfEntry(entry, { session, index });
    if (tests.length > 0) {
      yield { entry, key, tests, isNew: state.candidates.has(entry), isStale: state.isStale(entry) };
    }
  }
}
