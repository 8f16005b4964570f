import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import type { TestRef } from "../../core/call/call.ts";
import type { Session } from "../session/session.ts";
import { testsOfEntry } from "../documents/document-actions.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { TestRecordingState } from "./test-states-model.ts";
import { addTo } from "../../core/base/group-by.ts";

/** The recordings whose tests are known so far, by the tests' file. */
interface KnownRecordings {
  of(file: string): readonly TestRecordingState[];
  /** Something that this was made from changed. */
  forget(): void;
}

interface Used {
  readonly entry: string;
  readonly tests: readonly TestRef[];
}

/** All recordings are gone through once a change, not once a file and look: there may be very many. */
export function createKnownRecordings(session: Session, index: RecordingIndex): KnownRecordings {
  let byFile: Map<string, Used[]> | undefined;

  function find(): Map<string, Used[]> {
    const found = new Map<string, Used[]>();
    const add = (entry: string, tests: readonly TestRef[]): void => {
      for (const file of new Set(tests.map((test) => test.file))) addTo(found, file, { entry, tests });
    };
    for (const [{ entry }] of index.known()) add(entry, testsOfEntry(entry, { session, index }));
    const { state } = session;
    for (const entry of state.cachedEntries())
      add(
        entry,
        state.testsOf(entry).filter((test) => state.entriesOf(test).includes(entry)),
      );
    return found;
  }

  function stateOf(entry: string): TestRecordingState["state"] {
    const { state } = session;
    if (readCachedEntry(entry) !== undefined) return "cached";
    if (index.facts(entry)?.kind === "broken") return "broken";
    if (state.candidates.has(entry)) return "new";
    return state.isStale(entry) ? "stale" : "recorded";
  }

  return {
    of(file) {
      return ((byFile ??= find()).get(file) ?? []).map(({ entry, tests }) => ({
        entry,
        tests,
        state: stateOf(entry),
      }));
    },
    forget: () => (byFile = undefined),
  };
}
