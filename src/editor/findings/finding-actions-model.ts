import { isRunByTests } from "../../core/call/test-names.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { COMMANDS } from "../window/ids.ts";
import { isMissingCall, type MissingCall, type OpenFinding } from "./findings-model.ts";

/** Something that can be done about a finding. */
export interface FindingAction {
  /** Codicon. */
  readonly icon: string;
  readonly title: string;
  readonly tooltip: string;
  readonly command: string;
  /** Without the folder of a command of ours. */
  readonly arguments: readonly unknown[];
}

interface ActionFacts {
  /** The workspace is trusted: things may run. */
  readonly mayRun: boolean;
  /** A team's cache is named. */
  readonly hasTeam: boolean;
}

/** What can be done about a finding, in the order of use: on its page, its row, and as quick fixes of its problem. */
export function findingActions(finding: OpenFinding, facts: ActionFacts): readonly FindingAction[] {
  return isMissingCall(finding) ? missingActions(finding, facts) : repairs(finding, facts);
}

/** Only MetaGPT's own tests answer or record what is missing in its cache. */
function missingActions(call: MissingCall, { mayRun, hasTeam }: ActionFacts): readonly FindingAction[] {
  const { miss, test } = call;
  const isOwn = miss.cacheFile === undefined;
  const isRunnable = test !== undefined && isRunByTests(test);
  const { nearest } = miss;
  return actionsOn(call, [
    mayRun && isOwn && (isRunnable ? "recordCall" : "recordWhenMade"),
    mayRun && isRunnable && "recordTest",
    mayRun && isOwn && hasTeam && "fetchFromTeam",
    nearest && "compare",
    mayRun && nearest && "acceptNearest",
    mayRun && isOwn && nearest && "ignoreDifference",
    mayRun && isOwn && "writeReply",
    mayRun && isOwn && "takeMockReply",
    test && "goToTest",
  ]);
}

function repairs(finding: OpenFinding, { mayRun }: ActionFacts): readonly FindingAction[] {
  const { repair, test } = finding;
  return actionsOn(finding, [
    mayRun && repair === "key" && "setKey",
    mayRun && repair === "address" && "openUpstreams",
    mayRun && repair === "limits" && "openLimits",
    mayRun && test && finding.kind !== "bypassed" && "recordTest",
    test && "goToTest",
    "dismiss",
  ]);
}

interface ActionText {
  readonly icon: string;
  readonly title: string;
  readonly tooltip: string;
  /** Default: the command of this name, with the finding. */
  readonly command?: string;
  readonly arguments?: (finding: OpenFinding) => readonly unknown[];
}

const OPEN_SETTINGS = "workbench.action.openSettings";

const ACTIONS = {
  recordCall: {
    icon: "record",
    title: "Record this call",
    tooltip: "Run its test; only this call is asked of the provider",
  },
  recordWhenMade: {
    icon: "record",
    title: "Record when made again",
    tooltip: "No known test made this call: the next time it is made, it is recorded",
    command: COMMANDS.recordCall,
  },
  recordTest: {
    icon: "record",
    title: "Record the test",
    tooltip: "Run its test and record every call in it that is missing",
  },
  fetchFromTeam: {
    icon: "cloud-download",
    title: "Fetch from the team",
    tooltip: "Check the team's cache for this call again",
    command: COMMANDS.pullRecordings,
  },
  compare: {
    icon: "diff",
    title: "Compare with nearest",
    tooltip: "Show what the nearest recording asked beside what was asked now",
    command: COMMANDS.compareRecordings,
  },
  acceptNearest: {
    icon: "check",
    title: "Accept nearest as is",
    tooltip: "Answer this call with the nearest recording's reply: for a change that does not matter",
  },
  ignoreDifference: {
    icon: "filter",
    title: "Ignore this difference…",
    tooltip: "Show the rule under which the nearest recording would match, and what else it would touch",
  },
  writeReply: {
    icon: "edit",
    title: "Write the reply",
    tooltip: "Make a recording with a reply that you write",
  },
  takeMockReply: {
    icon: "beaker",
    title: "Take a mock's reply…",
    tooltip: "Make a recording with what a mock would answer, to be kept or edited",
  },
  goToTest: { icon: "beaker", title: "Go to test", tooltip: "Open the test that made this call" },
  setKey: {
    icon: "key",
    title: "Set Provider Key…",
    tooltip: "Keep a key among the secrets of VS Code, for runs that record",
    arguments: ({ provider }) => (provider === undefined ? [] : [provider]),
  },
  openUpstreams: {
    icon: "settings-gear",
    title: "Open Setting of Upstreams",
    tooltip: "Correct the address that is called in place of the provider's own",
    command: OPEN_SETTINGS,
    arguments: () => [SETTINGS.upstreams.key],
  },
  openLimits: {
    icon: "settings-gear",
    title: "Open Settings of Limits",
    tooltip: "Change how many calls, tokens, and dollars a run may take",
    command: OPEN_SETTINGS,
    arguments: () => ["tapedeck.limits"],
  },
  dismiss: { icon: "close", title: "Dismiss", tooltip: "Remove it from the list until it happens again" },
} as const satisfies Readonly<Record<string, ActionText>>;

type ActionName = keyof typeof ACTIONS;

function actionsOn(
  finding: OpenFinding,
  names: readonly (ActionName | false | undefined)[],
): readonly FindingAction[] {
  return names.flatMap((name): FindingAction[] => {
    if (name === false || name === undefined) return [];
    const { icon, title, tooltip, ...action }: ActionText = ACTIONS[name];
    const command = action.command ?? `tapedeck.${name}`;
    return [
      { icon, title, tooltip, command, arguments: action.arguments?.(finding) ?? [{ finding: finding.id }] },
    ];
  });
}
