import type { Key, TestRef } from "../../core/call/call.ts";
import { cachedEntry } from "../../core/cassette/cached-ref.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS } from "../window/ids.ts";
import type { OverviewTarget } from "../calls/call-node-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { findingActions } from "../findings/finding-actions-model.ts";
import { isMissingCall, type OpenFinding } from "../findings/findings-model.ts";

export interface DocumentAction {
  /** With codicons, as a lens takes it. */
  readonly title: string;
  readonly tooltip: string;
  readonly command: string;
  readonly arguments: readonly unknown[];
}

interface ActionSources {
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly documents: { finding(id: string): OpenFinding | undefined };
}

/** Returns the actions above a document, in the order of use. */
export function actionsOf(target: DocumentSubject["of"], sources: ActionSources): readonly DocumentAction[] {
  const { session, index, documents } = sources;
  const { state, deck, trusted: mayRun } = session;
  if ("overview" in target) return overviewActions(target);
  if ("test" in target) return actionsOn(target, [mayRun && "replayTest", mayRun && "recordTest"]);
  if ("cached" in target) {
    const hasTest = state.testsOf(cachedEntry(target.cached)).length > 0;
    return actionsOn(target, ["openFile", mayRun && "delete", "copyKey", hasTest && "goToTest"]);
  }
  if ("entry" in target) {
    const hasTest = testsOfEntry(target.entry, sources).length > 0;
    const isBroken = index.facts(target.entry)?.kind === "broken";
    const isNew = mayRun && state.candidates.has(target.entry);
    return actionsOn(target, [
      isNew && "accept",
      isNew && "discard",
      "openFile",
      hasTest && mayRun && "recordCall",
      !isBroken && "compareRecordings",
      hasTest && "goToTest",
      hasTest && "readTest",
      !isBroken && "copyCurl",
    ]);
  }
  const finding = documents.finding(target.finding);
  if (finding === undefined) return [];
  const answer = isMissingCall(finding) ? deck.answerTo(finding.miss) : undefined;
  if (answer) return actionsOn({ entry: answer.entry }, ["openCall"]);
  if (!isMissingCall(finding) && !state.findings.includes(finding)) return [];
  // The page has the first action of a finding; the others are in a menu beside it.
  const [first, ...others] = findingActions(finding, { mayRun, hasTeam: deck.team?.asks === true });
  if (first === undefined) return [];
  const { icon, title, ...action } = first;
  return [{ ...action, title: `$(${icon}) ${title}` }, ...actionsOn(target, [others.length > 0 && "fix"])];
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

const PERIODS = [7, 30, 90];

/** The other periods, and the same one as it is now. */
const overviewActions = ({ overview: { days } }: OverviewTarget): readonly DocumentAction[] =>
  [days, ...PERIODS.filter((period) => period !== days)].map((period) => ({
    title: period === days ? "$(refresh) Reload" : `$(calendar) ${period} days`,
    tooltip: `Show the runs of the last ${period} days as they are now`,
    command: COMMANDS.showOverview,
    arguments: [period],
  }));

/** Actions above a call: a title and a tooltip by the name of the command. */
const ACTIONS = {
  fix: ["$(ellipsis) More…", "Everything else that can be done about this call"],
  accept: ["$(check) Accept", "Keep this new recording"],
  discard: ["$(discard) Discard", "Delete this new recording (can be undone)"],
  openFile: ["$(go-to-file) Open file", "Open the recording's file, to read or edit it"],
  delete: ["$(trash) Delete", "Take this entry out of the file (can be undone)"],
  copyKey: ["$(key) Copy key", "Copy the text by which MetaGPT finds this entry"],
  recordCall: ["$(record) Re-record", "Run its test and ask the provider for this call again"],
  compareRecordings: ["$(diff) Compare…", "Compare this call with another recording"],
  goToTest: ["$(beaker) Go to test", "Open the test that made this call"],
  readTest: ["$(comment-discussion) Whole test", "Read all calls of its test as one conversation"],
  replayTest: ["$(play) Replay", "Run this test against the recordings; nothing leaves this machine"],
  recordTest: ["$(record) Record", "Run this test and record what is not recorded yet"],
  copyCurl: ["$(copy) Copy as curl", "Copy the request as a curl command without your key"],
  openCall: [
    "$(check) Now recorded: open the recording",
    "This call has a recording since this page was opened",
  ],
} as const satisfies Readonly<Record<string, readonly [title: string, tooltip: string]>>;

const COPIED = { copyKey: "key", copyCurl: "curl" } as const;

function actionsOn(
  target: unknown,
  names: readonly (keyof typeof ACTIONS | false)[],
): readonly DocumentAction[] {
  return names.flatMap((name): DocumentAction[] => {
    if (name === false) return [];
    const [title, tooltip] = ACTIONS[name];
    return name === "copyKey" || name === "copyCurl"
      ? [{ title, tooltip, command: COMMANDS.copy, arguments: [target, { as: COPIED[name] }] }]
      : [{ title, tooltip, command: COMMANDS[name], arguments: [target] }];
  });
}
