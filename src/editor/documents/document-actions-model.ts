import { type CommandId, COMMANDS } from "../window/ids.ts";
import type {
  CachedTarget,
  CallTarget,
  OverviewTarget,
  TestCalls,
  TroubleTarget,
} from "../calls-tree/call-node-model.ts";

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
  return actionsOn(target, [
    isNew && mayRun && "accept",
    isNew && mayRun && "discard",
    "openFile",
    hasTest && mayRun && "rerecord",
    !isBroken && "compareRecordings",
    hasTest && "goToTest",
    hasTest && "readTest",
    !isBroken && "copyCurl",
  ]);
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
    /** It is missing in MetaGPT's own cache, which only its tests write. */
    readonly isOfCache?: boolean;
  },
): readonly DocumentAction[] {
  const { hasTest, isRunByTests, mayRun, hasNearest, hasRule = false, hasTeam = false } = facts;
  if (facts.isOfCache === true)
    return actionsOn(target, [
      mayRun && isRunByTests && "recordCallTest",
      hasNearest && "compareWithNearest",
      mayRun && hasNearest && "acceptNearest",
      hasTest && "goToTest",
    ]);
  return actionsOn(target, [
    mayRun && (isRunByTests ? "recordCall" : "recordWhenMade"),
    mayRun && isRunByTests && "recordCallTest",
    mayRun && hasTeam && "fetchFromTeam",
    hasNearest && "compareWithNearest",
    mayRun && hasNearest && "acceptNearest",
    mayRun && hasRule && "ignoreDifference",
    mayRun && "writeReply",
    mayRun && "takeMockReply",
    hasTest && "goToTest",
  ]);
}

/** Of a missing call one action stands on its page; the others are in a menu beside it. */
export function primaryActions(
  target: CallTarget,
  [first, ...others]: readonly DocumentAction[],
): readonly DocumentAction[] {
  if (first === undefined) return [];
  return [first, ...actionsOn(target, [others.length > 0 && "moreActions"])];
}

/** What is left to do with a call that was missing and is answered by now. */
export const answeredActions = (recording: CallTarget): readonly DocumentAction[] =>
  actionsOn(recording, ["openCall"]);

const PERIODS = [7, 30, 90];

/** The other periods, and the same one as it is now. */
export const overviewActions = ({ overview: { days } }: OverviewTarget): readonly DocumentAction[] =>
  [days, ...PERIODS.filter((period) => period !== days)].map((period) => ({
    title: period === days ? "$(refresh) Refresh" : `$(calendar) ${period} days`,
    tooltip: `Show the runs of the last ${period} days as they are now`,
    command: COMMANDS.showOverview,
    arguments: [period],
  }));

export const testActions = ({ test }: TestCalls, mayRun: boolean): readonly DocumentAction[] =>
  actionsOn({ test }, [mayRun && "replayTest", mayRun && "recordTest"]);

export const troubleActions = ({ trouble }: TroubleTarget): readonly DocumentAction[] =>
  actionsOn(trouble, ["mendTrouble"]);

export const cachedActions = (
  target: CachedTarget,
  { mayRun, hasTest }: ActionFacts,
): readonly DocumentAction[] =>
  actionsOn(target, ["openFile", mayRun && "delete", "copyKey", hasTest && "goToTest"]);

/** What stands above a call: a title and a tooltip by the name of the command. */
const ACTIONS = {
  moreActions: ["$(ellipsis) More…", "Everything else that can be done about this call"],
  accept: ["$(check) Accept", "Keep this new recording"],
  discard: ["$(discard) Discard", "Delete this new recording (can be undone)"],
  openFile: ["$(go-to-file) Open file", "Open the recording's file, to read or edit it"],
  delete: ["$(trash) Delete", "Take this entry out of the file (can be undone)"],
  copyKey: ["$(key) Copy key", "Copy the text by which MetaGPT finds this entry"],
  rerecord: ["$(record) Re-record", "Run its test and ask the provider for this call again"],
  compareRecordings: ["$(diff) Compare…", "Compare this call with another recording"],
  goToTest: ["$(beaker) Go to test", "Open the test that made this call"],
  readTest: ["$(comment-discussion) Whole test", "Read all calls of its test as one conversation"],
  mendTrouble: ["$(wrench) Fix…", "Show what can be done about it"],
  replayTest: ["$(play) Replay", "Run this test against the recordings; nothing leaves this machine"],
  recordTest: ["$(record) Record", "Run this test and record what is not recorded yet"],
  copyCurl: ["$(copy) Copy as curl", "Copy the request as a curl command without your key"],
  openCall: [
    "$(check) Recorded by now: open the recording",
    "This call has a recording since this page was opened",
  ],
  recordCall: ["$(record) Record this call", "Run its test; only this call is asked of the provider"],
  recordCallTest: ["Record the test", "Run its test and record every call in it that is missing"],
  compareWithNearest: [
    "$(diff) Compare with nearest",
    "Show what the nearest recording asked beside what was asked now",
  ],
  ignoreDifference: [
    "$(filter) Ignore this difference…",
    "Show the rule under which the nearest recording would match, and what else it would touch",
  ],
  acceptNearest: [
    "$(check) Accept nearest as is",
    "Answer this call with the nearest recording's reply: for a change that does not matter",
  ],
  fetchFromTeam: [
    "$(cloud-download) Fetch from the team",
    "Look again whether the team's cache has this call by now",
  ],
  takeMockReply: [
    "$(beaker) Take a mock's reply…",
    "Make a recording with what a mock would answer, to be kept or edited",
  ],
  writeReply: ["$(edit) Write the reply", "Make a recording with a reply that you write"],
} as const satisfies Partial<Record<keyof typeof COMMANDS, readonly [title: string, tooltip: string]>>;

const RECORD_WHEN_MADE = {
  title: "$(record) Record when made again",
  tooltip: "No known test made this call: the next time it is made, it is recorded",
  command: COMMANDS.recordCall,
};

function actionsOn(
  target: unknown,
  names: readonly (keyof typeof ACTIONS | "recordWhenMade" | false)[],
): readonly DocumentAction[] {
  return names.flatMap((name): DocumentAction[] => {
    if (name === false) return [];
    if (name === "recordWhenMade") return [{ ...RECORD_WHEN_MADE, arguments: [target] }];
    const [title, tooltip] = ACTIONS[name];
    return [{ title, tooltip, command: COMMANDS[name], arguments: [target] }];
  });
}
