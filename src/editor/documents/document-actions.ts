import { localize } from "../../core/base/localize.ts";
import type { Key, TestRef } from "../../core/call/call.ts";
import { readCachedEntry } from "../../core/cassette/cached-ref.ts";
import type { Session } from "../session/session.ts";
import { COMMANDS } from "../window/ids.ts";
import type { OverviewTarget, TimelineTarget } from "../calls/call-node-model.ts";
import type { RecordingIndex } from "../calls/recording-index-model.ts";
import type { DocumentSubject } from "./document-uri-model.ts";
import { type Action, listFindingActions } from "../findings/finding-actions-model.ts";
import { isMissingCall, type OpenFinding } from "../findings/findings-model.ts";

interface ActionSources {
  readonly session: Session;
  readonly index: RecordingIndex;
  readonly documents: { finding(id: string): OpenFinding | undefined };
}

/** Returns the actions above a document, in the order of use. */
export function createActions(target: DocumentSubject["of"], sources: ActionSources): readonly Action[] {
  const { session, index, documents } = sources;
  const { state, deck, trusted: mayRun } = session;
  if ("overview" in target) return overviewActions(target);
  if ("timeline" in target) return timelineActions(target);
  if ("test" in target) return actionsOn(target, [mayRun && "replayTest", mayRun && "recordTest"]);
  if ("entry" in target && readCachedEntry(target.entry)) {
    const hasTest = state.usage.testsOf(target.entry).length > 0;
    return actionsOn(target, ["openFile", mayRun && "delete", "copyKey", hasTest && "goToTest"]);
  }
  if ("entry" in target) {
    const hasTest = listTestsOfEntry(target.entry, sources).length > 0;
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
  const [first, ...others] = listFindingActions(finding, { mayRun });
  return first ? [first, ...actionsOn(target, [others.length > 0 && "fix"])] : [];
}

/** Returns the tests that used a recording; if none is known, the test that made it, once it is read. */
export function listTestsOfEntry(
  entry: string,
  { session, index }: Pick<ActionSources, "session" | "index">,
): readonly TestRef[] {
  const users = session.state.usage.testsOf(entry);
  if (users.length > 0) return users;
  const facts = index.facts(entry);
  if (facts?.kind === "broken") return lastToAsk(index.keyOf(entry), session);
  const maker =
    session.state.candidates.get(entry)?.test ?? (facts?.kind === "read" ? facts.test : undefined);
  return maker ? [maker] : [];
}

/** Returns the test that last requested an unreadable recording, whose file cannot name its test. */
function lastToAsk(key: Key | undefined, { state }: Session): readonly TestRef[] {
  const call = state.calls.findLast((one) => one.key === key && one.test !== undefined);
  return call?.test ? [call.test] : [];
}

const PERIODS = [7, 30, 90];

/** The actions reload the period or show another one. */
const overviewActions = ({ overview: { days } }: OverviewTarget): readonly Action[] =>
  [days, ...PERIODS.filter((period) => period !== days)].map((period) => ({
    icon: period === days ? "refresh" : "calendar",
    title: period === days ? localize("Reload") : localize("Last {0} Days", period),
    tooltip: localize("Show the current runs of the last {0} days", period),
    command: COMMANDS.showOverview,
    arguments: [period],
  }));

/** The actions show the other times, or the list of runs. */
function timelineActions({ timeline }: TimelineTarget): readonly Action[] {
  const other = timeline.which === "run" ? ("recorded" as const) : ("run" as const);
  return [
    {
      ...TIMES[other],
      command: COMMANDS.showTimeline,
      arguments: [{ timeline: { ...timeline, which: other } }],
    },
    {
      icon: "graph",
      title: localize("Other Runs"),
      tooltip: localize("Show the overview, which lists the latest runs"),
      command: COMMANDS.showOverview,
      arguments: [],
    },
  ];
}

const TIMES = {
  recorded: {
    icon: "history",
    title: localize("As Recorded"),
    tooltip: localize("Show the time that responses took when they were recorded"),
  },
  run: {
    icon: "play",
    title: localize("This Run"),
    tooltip: localize("Show the time that calls took in this run"),
  },
} as const;

/** Actions above a call by the name of the command. */
const ACTIONS = {
  fix: ["ellipsis", localize("More…"), localize("Show all other actions for this call")],
  accept: ["check", localize("Accept"), localize("Keep this new recording")],
  discard: ["discard", localize("Discard"), localize("Delete this new recording (can be undone)")],
  openFile: [
    "go-to-file",
    localize("Open File"),
    localize("Open the file of the recording to read or edit it"),
  ],
  delete: ["trash", localize("Delete"), localize("Remove this entry from the file (can be undone)")],
  copyKey: ["key", localize("Copy Key"), localize("Copy the text by which MetaGPT finds this entry")],
  recordCall: [
    "record",
    localize("Re-record"),
    localize("Run the test, and send this call to the provider again"),
  ],
  compareRecordings: ["diff", localize("Compare…"), localize("Compare this call with another recording")],
  goToTest: ["beaker", localize("Go to Test"), localize("Open the test that made this call")],
  readTest: [
    "comment-discussion",
    localize("Show Whole Test"),
    localize("Show all calls of the test as one conversation"),
  ],
  replayTest: [
    "play",
    localize("Replay"),
    localize("Run this test with its recordings. Nothing leaves this machine."),
  ],
  recordTest: ["record", localize("Record"), localize("Run this test and record its missing calls")],
  copyCurl: [
    "copy",
    localize("Copy as curl"),
    localize("Copy the request as a curl command, without your key"),
  ],
  openCall: [
    "check",
    localize("Open New Recording"),
    localize("This call was recorded after this page was opened"),
  ],
} as const satisfies Readonly<Record<string, readonly [icon: string, title: string, tooltip: string]>>;

const COPIED = { copyKey: "key", copyCurl: "curl" } as const;

function actionsOn(target: unknown, names: readonly (keyof typeof ACTIONS | false)[]): readonly Action[] {
  return names.flatMap((name): Action[] => {
    if (name === false) return [];
    const [icon, title, tooltip] = ACTIONS[name];
    return name === "copyKey" || name === "copyCurl"
      ? [{ icon, title, tooltip, command: COMMANDS.copy, arguments: [target, { as: COPIED[name] }] }]
      : [{ icon, title, tooltip, command: COMMANDS[name], arguments: [target] }];
  });
}
