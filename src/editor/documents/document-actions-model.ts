import { type CommandId, COMMANDS } from "../window/ids.ts";
import type { CachedTarget, CallTarget, TestCalls } from "../calls-tree/call-node-model.ts";

export interface DocumentAction {
  /** With codicons, as a lens takes it. */
  readonly title: string;
  readonly tooltip: string;
  readonly command: CommandId;
  readonly arguments: readonly unknown[];
}

interface ActionFacts {
  /** Tests are known that made the call. */
  readonly hasTest: boolean;
  /** The workspace is trusted: things may run. */
  readonly mayRun: boolean;
}

/** The actions above a recording, in the order of use. */
export function recordingActions(
  target: CallTarget,
  facts: ActionFacts & { readonly isNew: boolean; readonly isBroken: boolean },
): readonly DocumentAction[] {
  const { hasTest, mayRun, isNew, isBroken } = facts;
  return [
    ...(isNew && mayRun ? NEW : []),
    OPEN_FILE,
    ...(hasTest && mayRun ? [RERECORD] : []),
    ...(isBroken ? [] : [COMPARE]),
    ...(hasTest ? [GO_TO_TEST, READ_TEST] : []),
    ...(isBroken ? [] : [COPY_CURL]),
  ].map((action) => ({ ...action, arguments: [target] }));
}

/** The actions above a missing call, in the order of use. */
export function missingActions(
  target: CallTarget,
  facts: ActionFacts & {
    /** What made the call can be run from here. */
    readonly isRunByTests: boolean;
    readonly hasNearest: boolean;
    readonly hasRule?: boolean;
    readonly hasTeam?: boolean;
  },
): readonly DocumentAction[] {
  const { hasTest, isRunByTests, mayRun, hasNearest, hasRule, hasTeam } = facts;
  return [
    ...(mayRun ? (isRunByTests ? RECORD : [RECORD_WHEN_MADE]) : []),
    ...(hasTeam === true && mayRun ? [FETCH_FROM_TEAM] : []),
    ...(hasNearest ? [COMPARE_NEAREST] : []),
    ...(hasNearest && mayRun ? [ACCEPT_NEAREST] : []),
    ...(hasRule === true && mayRun ? [IGNORE_DIFFERENCE] : []),
    ...(mayRun ? [WRITE_REPLY, TAKE_MOCK_REPLY] : []),
    ...(hasTest ? [GO_TO_TEST] : []),
  ].map((action) => ({ ...action, arguments: [target] }));
}

/** Of a missing call one action stands on its page; the others are in a menu beside it. */
export function primaryActions(
  target: CallTarget,
  [first, ...others]: readonly DocumentAction[],
): readonly DocumentAction[] {
  if (first === undefined) return [];
  return others.length === 0 ? [first] : [first, { ...MORE, arguments: [target] }];
}

/** What is left to do with a call that was missing and is answered by now. */
export function answeredActions(recording: CallTarget): readonly DocumentAction[] {
  return [
    {
      title: "$(check) Recorded by now: open the recording",
      tooltip: "This call has a recording since this page was opened",
      command: COMMANDS.openCall,
      arguments: [recording],
    },
  ];
}

export function testActions({ test }: TestCalls, mayRun: boolean): readonly DocumentAction[] {
  return (mayRun ? [REPLAY_TEST, RECORD_TEST] : []).map((action) => ({ ...action, arguments: [{ test }] }));
}

export function cachedActions(target: CachedTarget, mayWrite: boolean): readonly DocumentAction[] {
  return [OPEN_FILE, ...(mayWrite ? [DELETE] : []), COPY_KEY].map((action) => ({
    ...action,
    arguments: [target],
  }));
}

type Plain = Omit<DocumentAction, "arguments">;

function actionWith(title: string, tooltip: string, command: CommandId): Plain {
  return { title, tooltip, command };
}

const MORE = actionWith(
  "$(ellipsis) More…",
  "Everything else that can be done about this call",
  COMMANDS.moreActions,
);
const NEW: readonly Plain[] = [
  actionWith("$(check) Accept", "Keep this new recording", COMMANDS.accept),
  actionWith("$(discard) Discard", "Delete this new recording (can be undone)", COMMANDS.discard),
];
const OPEN_FILE = actionWith(
  "$(go-to-file) Open file",
  "Open the recording's file, to read or edit it",
  COMMANDS.openFile,
);
const DELETE = actionWith(
  "$(trash) Delete",
  "Take this entry out of the file (can be undone)",
  COMMANDS.delete,
);
const COPY_KEY = actionWith(
  "$(key) Copy key",
  "Copy the text by which MetaGPT finds this entry",
  COMMANDS.copyKey,
);
const RERECORD = actionWith(
  "$(record) Re-record",
  "Run its test and ask the provider for this call again",
  COMMANDS.rerecord,
);
const COMPARE = actionWith(
  "$(diff) Compare…",
  "Compare this call with another recording",
  COMMANDS.compareRecordings,
);
const GO_TO_TEST = actionWith("$(beaker) Go to test", "Open the test that made this call", COMMANDS.goToTest);
const READ_TEST = actionWith(
  "$(comment-discussion) Whole test",
  "Read all calls of its test as one conversation",
  COMMANDS.readTest,
);
const REPLAY_TEST = actionWith(
  "$(play) Replay",
  "Run this test against the recordings; nothing leaves this machine",
  COMMANDS.replayTest,
);
const RECORD_TEST = actionWith(
  "$(record) Record",
  "Run this test and record what is not recorded yet",
  COMMANDS.recordTest,
);
const COPY_CURL = actionWith(
  "$(copy) Copy as curl",
  "Copy the request as a curl command without your key",
  COMMANDS.copyCurl,
);

const RECORD: readonly Plain[] = [
  actionWith(
    "$(record) Record this call",
    "Run its test; only this call is asked of the provider",
    COMMANDS.recordCall,
  ),
  actionWith(
    "Record the test",
    "Run its test and record every call in it that is missing",
    COMMANDS.recordCallTest,
  ),
];
const RECORD_WHEN_MADE = actionWith(
  "$(record) Record when made again",
  "No known test made this call: the next time it is made, it is recorded",
  COMMANDS.recordCall,
);
const COMPARE_NEAREST = actionWith(
  "$(diff) Compare with nearest",
  "Show what the nearest recording asked beside what was asked now",
  COMMANDS.compareWithNearest,
);
const IGNORE_DIFFERENCE = actionWith(
  "$(filter) Ignore this difference…",
  "Show the rule under which the nearest recording would match, and what else it would touch",
  COMMANDS.ignoreDifference,
);
const ACCEPT_NEAREST = actionWith(
  "$(check) Accept nearest as is",
  "Answer this call with the nearest recording's reply: for a change that does not matter",
  COMMANDS.acceptNearest,
);
const FETCH_FROM_TEAM = actionWith(
  "$(cloud-download) Fetch from the team",
  "Look again whether the team's cache has this call by now",
  COMMANDS.fetchFromTeam,
);
const TAKE_MOCK_REPLY = actionWith(
  "$(beaker) Take a mock's reply…",
  "Make a recording with what a mock would answer, to be kept or edited",
  COMMANDS.takeMockReply,
);
const WRITE_REPLY = actionWith(
  "$(edit) Write the reply",
  "Make a recording with a reply that you write",
  COMMANDS.writeReply,
);
