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

const OPEN_SETTINGS = "workbench.action.openSettings";

/** By name: icon, title, tooltip, and the command if it is not the one of this name. */
const ACTIONS = {
  recordCall: [
    "record",
    localize("Record this call"),
    localize("Run its test. Only this call goes to the provider"),
  ],
  recordWhenMade: [
    "record",
    localize("Record when made again"),
    localize("No known test makes this call. It is recorded the next time a program makes it"),
    COMMANDS.recordCall,
  ],
  recordTest: [
    "record",
    localize("Record the test"),
    localize("Run its test and record all its missing calls"),
  ],
  compare: [
    "diff",
    localize("Compare with nearest"),
    localize("Compare the request of the nearest recording with the current one"),
    COMMANDS.compareRecordings,
  ],
  acceptNearest: [
    "check",
    localize("Accept nearest as is"),
    localize("Answer this call with the nearest reply, if the difference does not matter"),
  ],
  ignoreDifference: [
    "filter",
    localize("Ignore this difference…"),
    localize("Show the rule with which the nearest recording matches, and its other effects"),
  ],
  writeReply: [
    "edit",
    localize("Write the reply"),
    localize("Create a recording with a reply that you write"),
  ],
  goToTest: ["beaker", localize("Go to test"), localize("Open the test that made this call")],
  setKey: [
    "key",
    localize("Set Provider Key…"),
    localize("Store a key in VS Code's secret storage for runs that record"),
  ],
  openUpstreams: [
    "settings-gear",
    localize("Open Upstreams Setting"),
    localize("Correct the address that replaces the provider's own"),
    OPEN_SETTINGS,
  ],
  openLimits: [
    "settings-gear",
    localize("Open Limits Setting"),
    localize("Change how many calls, tokens, and dollars a run can use"),
    OPEN_SETTINGS,
  ],
  dismiss: ["close", localize("Dismiss"), localize("Remove it from the list until it happens again")],
} as const satisfies Readonly<Record<string, readonly [string, string, string, string?]>>;

type ActionName = keyof typeof ACTIONS;

function argumentsOf(name: ActionName, { id, provider }: OpenFinding): readonly unknown[] {
  if (name === "openUpstreams") return [SETTINGS.upstreams.key];
  if (name === "openLimits") return ["tapedeck.limits"];
  return name === "setKey" ? [provider].filter((one) => one !== undefined) : [{ finding: id }];
}

function actionsOn(
  finding: OpenFinding,
  names: readonly (ActionName | false | undefined)[],
): readonly Action[] {
  return names.flatMap((name): Action[] => {
    if (name === false || name === undefined) return [];
    const [icon, title, tooltip, command = `tapedeck.${name}`] = ACTIONS[name];
    return [{ icon, title, tooltip, command, arguments: argumentsOf(name, finding) }];
  });
}
