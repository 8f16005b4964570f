import type { FindingAction } from "../findings/finding-actions-model.ts";
import { COMMANDS } from "../window/ids.ts";
import type { CachedTarget, CallTarget, OverviewTarget, TestCalls } from "../calls/call-node-model.ts";

export interface DocumentAction {
  /** With codicons, as a lens takes it. */
  readonly title: string;
  readonly tooltip: string;
  readonly command: string;
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
    hasTest && mayRun && "recordCall",
    !isBroken && "compareRecordings",
    hasTest && "goToTest",
    hasTest && "readTest",
    !isBroken && "copyCurl",
  ]);
}

/** One action of a finding stands on its page; the others are in a menu beside it. */
export function actionsOfFinding(
  target: CallTarget,
  [first, ...others]: readonly FindingAction[],
): readonly DocumentAction[] {
  if (first === undefined) return [];
  const { icon, title, ...action } = first;
  return [{ ...action, title: `$(${icon}) ${title}` }, ...actionsOn(target, [others.length > 0 && "fix"])];
}

/** What is left to do with a call that was missing and is answered by now. */
export const answeredActions = (recording: CallTarget): readonly DocumentAction[] =>
  actionsOn(recording, ["openCall"]);

const PERIODS = [7, 30, 90];

/** The other periods, and the same one as it is now. */
export const overviewActions = ({ overview: { days } }: OverviewTarget): readonly DocumentAction[] =>
  [days, ...PERIODS.filter((period) => period !== days)].map((period) => ({
    title: period === days ? "$(refresh) Reload" : `$(calendar) ${period} days`,
    tooltip: `Show the runs of the last ${period} days as they are now`,
    command: COMMANDS.showOverview,
    arguments: [period],
  }));

export const testActions = ({ test }: TestCalls, mayRun: boolean): readonly DocumentAction[] =>
  actionsOn({ test }, [mayRun && "replayTest", mayRun && "recordTest"]);

export const cachedActions = (
  target: CachedTarget,
  { mayRun, hasTest }: ActionFacts,
): readonly DocumentAction[] =>
  actionsOn(target, ["openFile", mayRun && "delete", "copyKey", hasTest && "goToTest"]);

/** What stands above a call: a title and a tooltip by the name of the command. */
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
    "$(check) Recorded by now: open the recording",
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
