import { localize } from "../../core/base/localize.ts";
import { isRunByTests } from "../../core/call/test-names.ts";
import { SETTINGS } from "../settings/settings-model.ts";
import { COMMANDS } from "../window/ids.ts";
import { isMissingCall, type MissingCall, type OpenFinding } from "./findings-model.ts";

/** An action on a finding, or above a document. */
export interface Action {
  /** A codicon's name. */
  readonly icon: string;
  readonly title: string;
  readonly tooltip: string;
  readonly command: string;
  /** Without the folder of Tapedeck's commands. */
  readonly arguments: readonly unknown[];
}

interface ActionFacts {
  /** Whether the workspace is trusted, so that programs may run. */
  readonly mayRun: boolean;
}

/** Returns the actions on a finding in the order of use, for its page, its row, and the quick fixes of its problem. */
export function listFindingActions(finding: OpenFinding, facts: ActionFacts): readonly Action[] {
  return isMissingCall(finding) ? missingActions(finding, facts) : repairs(finding, facts);
}

/** Calls that are missing in MetaGPT's cache can be answered and recorded only by MetaGPT's tests. */
function missingActions(call: MissingCall, { mayRun }: ActionFacts): readonly Action[] {
  const { miss, test } = call;
  const isOwn = miss.cacheFile === undefined;
  const isRunnable = test !== undefined && isRunByTests(test);
  const { nearest } = miss;
  return actionsOn(call, [
    mayRun && isOwn && (isRunnable ? "recordCall" : "recordWhenMade"),
    mayRun && isRunnable && "recordTest",
    nearest && "compare",
    mayRun && nearest && "acceptNearest",
    mayRun && call.hasRules && "ignoreDifference",
    mayRun && isOwn && "writeReply",
    test && "goToTest",
  ]);
}

function repairs(finding: OpenFinding, { mayRun }: ActionFacts): readonly Action[] {
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
    title: localize("Record this call"),
    tooltip: localize("Run its test. Only this call goes to the provider"),
  },
  recordWhenMade: {
    icon: "record",
    title: localize("Record when made again"),
    tooltip: localize("No known test makes this call. It is recorded the next time a program makes it"),
    command: COMMANDS.recordCall,
  },
  recordTest: {
    icon: "record",
    title: localize("Record the test"),
    tooltip: localize("Run its test and record all its missing calls"),
  },
  compare: {
    icon: "diff",
    title: localize("Compare with nearest"),
    tooltip: localize("Compare the request of the nearest recording with the current one"),
    command: COMMANDS.compareRecordings,
  },
  acceptNearest: {
    icon: "check",
    title: localize("Accept nearest as is"),
    tooltip: localize("Answer this call with the nearest reply, if the difference does not matter"),
  },
  ignoreDifference: {
    icon: "filter",
    title: localize("Ignore this difference…"),
    tooltip: localize("Show the rule with which the nearest recording matches, and its other effects"),
  },
  writeReply: {
    icon: "edit",
    title: localize("Write the reply"),
    tooltip: localize("Create a recording with a reply that you write"),
  },
  goToTest: {
    icon: "beaker",
    title: localize("Go to test"),
    tooltip: localize("Open the test that made this call"),
  },
  setKey: {
    icon: "key",
    title: localize("Set Provider Key…"),
    tooltip: localize("Store a key in VS Code's secret storage for runs that record"),
    arguments: ({ provider }) => (provider === undefined ? [] : [provider]),
  },
  openUpstreams: {
    icon: "settings-gear",
    title: localize("Open Upstreams Setting"),
    tooltip: localize("Correct the address that replaces the provider's own"),
    command: OPEN_SETTINGS,
    arguments: () => [SETTINGS.upstreams.key],
  },
  openLimits: {
    icon: "settings-gear",
    title: localize("Open Limits Setting"),
    tooltip: localize("Change how many calls, tokens, and dollars a run can use"),
    command: OPEN_SETTINGS,
    arguments: () => ["tapedeck.limits"],
  },
  dismiss: {
    icon: "close",
    title: localize("Dismiss"),
    tooltip: localize("Remove it from the list until it happens again"),
  },
} as const satisfies Readonly<Record<string, ActionText>>;

type ActionName = keyof typeof ACTIONS;

function actionsOn(
  finding: OpenFinding,
  names: readonly (ActionName | false | undefined)[],
): readonly Action[] {
  return names.flatMap((name): Action[] => {
    if (name === false || name === undefined) return [];
    const { icon, title, tooltip, ...action }: ActionText = ACTIONS[name];
    const command = action.command ?? `tapedeck.${name}`;
    return [
      { icon, title, tooltip, command, arguments: action.arguments?.(finding) ?? [{ finding: finding.id }] },
    ];
  });
}
