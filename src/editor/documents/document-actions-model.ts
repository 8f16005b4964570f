import { type CommandId, COMMANDS } from "../window/ids.ts";
import type { CachedTarget, CallTarget } from "../calls-tree/call-node-model.ts";

/** Something that can be done with the call that a document shows. */
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
    ...(hasTest ? [GO_TO_TEST] : []),
    ...(isBroken ? [] : [COPY_CURL]),
  ].map((action) => ({ ...action, arguments: [target] }));
}

/** The actions above a missing call, in the order of use. */
export function missingActions(
  target: CallTarget,
  facts: ActionFacts & { readonly hasNearest: boolean; readonly hasRule?: boolean },
): readonly DocumentAction[] {
  const { hasTest, mayRun, hasNearest, hasRule } = facts;
  return [
    ...(hasTest && mayRun ? RECORD : []),
    ...(hasNearest ? [COMPARE_NEAREST] : []),
    ...(hasNearest && mayRun ? [ACCEPT_NEAREST] : []),
    ...(hasRule === true && mayRun ? [IGNORE_DIFFERENCE] : []),
    ...(mayRun ? [WRITE_REPLY] : []),
    ...(hasTest ? [GO_TO_TEST] : []),
  ].map((action) => ({ ...action, arguments: [target] }));
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

/** The actions above an entry of MetaGPT's cache. */
export function cachedActions(target: CachedTarget, mayWrite: boolean): readonly DocumentAction[] {
  return [OPEN_FILE, ...(mayWrite ? [DELETE] : []), COPY_KEY].map((action) => ({
    ...action,
    arguments: [target],
  }));
}

type Plain = Omit<DocumentAction, "arguments">;

const NEW: readonly Plain[] = [
  { title: "$(check) Accept", tooltip: "Keep this new recording", command: COMMANDS.accept },
  {
    title: "$(discard) Discard",
    tooltip: "Delete this new recording (can be undone)",
    command: COMMANDS.discard,
  },
];

const OPEN_FILE: Plain = {
  title: "$(go-to-file) Open file",
  tooltip: "Open the recording's file, to read or edit it",
  command: COMMANDS.openFile,
};

const DELETE: Plain = {
  title: "$(trash) Delete",
  tooltip: "Take this entry out of the file (can be undone)",
  command: COMMANDS.delete,
};

const COPY_KEY: Plain = {
  title: "$(key) Copy key",
  tooltip: "Copy the text by which MetaGPT finds this entry",
  command: COMMANDS.copyKey,
};

const RERECORD: Plain = {
  title: "$(record) Re-record",
  tooltip: "Run its test and ask the provider for this call again",
  command: COMMANDS.rerecord,
};

const COMPARE: Plain = {
  title: "$(diff) Compare…",
  tooltip: "Compare this call with another recording",
  command: COMMANDS.compareRecordings,
};

const GO_TO_TEST: Plain = {
  title: "$(beaker) Go to test",
  tooltip: "Open the test that made this call",
  command: COMMANDS.goToTest,
};

const COPY_CURL: Plain = {
  title: "$(copy) Copy as curl",
  tooltip: "Copy the request as a curl command without your key",
  command: COMMANDS.copyCurl,
};

const RECORD: readonly Plain[] = [
  {
    title: "$(record) Record this call",
    tooltip: "Run its test; only this call is asked of the provider",
    command: COMMANDS.recordCall,
  },
  {
    title: "Record the test",
    tooltip: "Run its test and record every call in it that is missing",
    command: COMMANDS.recordCallTest,
  },
];

const COMPARE_NEAREST: Plain = {
  title: "$(diff) Compare with nearest",
  tooltip: "Show what the nearest recording asked beside what was asked now",
  command: COMMANDS.compareWithNearest,
};

const IGNORE_DIFFERENCE: Plain = {
  title: "$(filter) Ignore this difference…",
  tooltip: "Show the rule under which the nearest recording would match, and what else it would touch",
  command: COMMANDS.ignoreDifference,
};

const ACCEPT_NEAREST: Plain = {
  title: "$(check) Accept nearest as is",
  tooltip: "Answer this call with the nearest recording's reply: for a change that does not matter",
  command: COMMANDS.acceptNearest,
};

const WRITE_REPLY: Plain = {
  title: "$(edit) Write the reply",
  tooltip: "Make a recording with a reply that you write",
  command: COMMANDS.writeReply,
};
