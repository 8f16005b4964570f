import type { Key, TestRef } from "../../core/call/call.ts";
import { cachedEntry } from "../../core/cassette/cached-ref.ts";
import type { Session } from "../session/session.ts";
import {
  type DocumentAction,
  actionsOfFinding,
  answeredActions,
  cachedActions,
  overviewActions,
  recordingActions,
  testActions,
} from "./document-actions-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { findingActions } from "../findings/finding-actions-model.ts";
import { isMissingCall, type OpenFinding } from "../findings/findings-model.ts";

interface ActionSources {
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly documents: { finding(id: string): OpenFinding | undefined };
}

export function actionsOf(target: DocumentSubject["of"], sources: ActionSources): readonly DocumentAction[] {
  const { session, index, documents } = sources;
  const { state, deck, trusted: mayRun } = session;
  if ("overview" in target) return overviewActions(target);
  if ("test" in target) return testActions(target, mayRun);
  if ("cached" in target) {
    const hasTest = state.testsOf(cachedEntry(target.cached)).length > 0;
    return cachedActions(target, { hasTest, mayRun });
  }
  if ("entry" in target) {
    const hasTest = testsOfEntry(target.entry, sources).length > 0;
    const isBroken = index.facts(target.entry)?.kind === "broken";
    return recordingActions(target, { hasTest, mayRun, isNew: state.candidates.has(target.entry), isBroken });
  }
  const finding = documents.finding(target.finding);
  if (finding === undefined) return [];
  const answer = isMissingCall(finding) ? deck.answerTo(finding.miss) : undefined;
  if (answer) return answeredActions({ entry: answer.entry });
  if (!isMissingCall(finding) && !state.findings.includes(finding)) return [];
  return actionsOfFinding(target, findingActions(finding, { mayRun, hasTeam: deck.team?.asks === true }));
}

/** The tests that were seen to use a recording, else the one that made it, as far as it was read. */
export function testsOfEntry(
  entry: string,
  { session, index }: Pick<ActionSources, "session" | "index">,
): readonly TestRef[] {
  const seen = session.state.testsOf(entry);
  if (seen.length > 0) return seen;
  const facts = index.facts(entry);
  if (facts?.kind === "broken") return lastToAsk(index.keyOf(entry), session);
  const maker =
    session.state.candidates.get(entry)?.test ?? (facts?.kind === "read" ? facts.test : undefined);
  return maker ? [maker] : [];
}

/** A file that cannot be read names no test; what asked for it in vain does. */
function lastToAsk(key: Key | undefined, { state }: Session): readonly TestRef[] {
  const call = state.calls.findLast((one) => one.key === key && one.test !== undefined);
  return call?.test ? [call.test] : [];
}
