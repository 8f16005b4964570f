import type { TestRef } from "../../core/call.ts";
import type { Session } from "../session/session.ts";
import {
  type DocumentAction,
  answeredActions,
  cachedActions,
  missingActions,
  recordingActions,
} from "./document-actions-model.ts";
import type { RecordingIndex } from "../calls-tree/recording-index-model.ts";
import type { CachedTarget, CallTarget } from "../calls-tree/call-node-model.ts";
import type { MissingCall } from "../session/missing-calls-model.ts";

interface ActionSources {
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly documents: { missing(id: string): MissingCall | undefined };
}

/** What can be done with a call now. */
export function actionsOf(
  target: CallTarget | CachedTarget,
  sources: ActionSources,
): readonly DocumentAction[] {
  const { session, index, documents } = sources;
  const { state, deck, trusted: mayRun } = session;
  if ("cached" in target) return cachedActions(target, mayRun);
  if ("entry" in target) {
    const hasTest = testsOfEntry(target.entry, sources).length > 0;
    const isBroken = index.facts(target.entry)?.kind === "broken";
    return recordingActions(target, { hasTest, mayRun, isNew: state.candidates.has(target.entry), isBroken });
  }
  const call = documents.missing(target.missing);
  if (call === undefined) return [];
  const { miss, test } = call;
  const answer = deck.answerTo(miss);
  if (answer) return answeredActions({ entry: answer.entry });
  return missingActions(target, {
    hasTest: test !== undefined,
    mayRun,
    hasNearest: miss.nearest !== undefined,
    hasRule: miss.nearest?.proposal !== undefined,
  });
}

/** The tests that were seen to use a recording, else the one that made it, as far as it was read. */
export function testsOfEntry(
  entry: string,
  { session, index }: Pick<ActionSources, "session" | "index">,
): readonly TestRef[] {
  const seen = session.state.testsOf(entry);
  if (seen.length > 0) return seen;
  const facts = index.facts(entry);
  const maker =
    session.state.candidates.get(entry)?.test ?? (facts?.kind === "read" ? facts.test : undefined);
  return maker ? [maker] : [];
}
