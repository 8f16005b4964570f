import type { CallEvent, Key, MadeUp, Miss, TestRef } from "../call/call.ts";
import { CLIENT_LEFT } from "../base/errors.ts";
import { editorReader, missLines } from "./miss.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { testId } from "../call/test-names.ts";
import { visibleLine } from "../base/visible.ts";

/** What can be wrong with a call, in the order in which a person should look at it. */
export const FINDING_KINDS = [
  /** No source of its mode answered it. */
  "missing",
  /** A mock answered it, and it was not recorded. */
  "made-up",
  /** It was refused, its provider failed, or its answer could not be kept. */
  "failed",
  /** It did not go through Tapedeck. */
  "bypassed",
  /** No call of a test reached Tapedeck. */
  "unreached",
  /** Its recording cannot be read. */
  "broken",
  /** Its recording is not what the code asks for any more. */
  "stale",
  /** It failed on purpose. */
  "faulty",
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/** What repairs it: the key, the address, the limits of a run, recording again, or another client. */
export const REPAIRS = ["key", "address", "limits", "again", "client"] as const;
export type Repair = (typeof REPAIRS)[number];

/** One thing wrong with a call, in the same words for every reader. Plain data. */
export interface Finding {
  /** Equal for the same problem of the same call in the same test. */
  readonly id: string;
  readonly kind: FindingKind;
  /** The call in a few words: its last user text, its host, or the title of a test. */
  readonly label: string;
  /** The cause in two or three words, if the label does not contain it. */
  readonly brief?: string;
  /** One sentence each: what happened to which call, the cause or what differs, and what to do next. */
  readonly what: string;
  readonly why: string;
  readonly fix: string;
  readonly repair: Repair;
  readonly test?: TestRef;
  readonly key?: Key;
  /** Path of the recording relative to the cassette folder. */
  readonly entry?: string;
  /** Whose key or address it is about: a provider's name, or the variable of its key. */
  readonly provider?: string;
  /** Milliseconds since the epoch, of the last time. */
  readonly at: number;
  readonly count: number;
}

/** A finding in three lines. */
export function findingText({ what, why, fix }: Pick<Finding, "what" | "why" | "fix">): string {
  return [what, why, fix].join("\n");
}

/** Adds a finding as the newest of them. One with the same id counts up. */
export function addFinding<F extends Finding>(findings: Map<string, F>, finding: F): void {
  const count = (findings.get(finding.id)?.count ?? 0) + finding.count;
  findings.delete(finding.id);
  findings.set(finding.id, { ...finding, count });
}

export function findingId(kind: FindingKind, subject: string, test: TestRef | undefined): string {
  return [kind, subject, testId(test)].join(" ").trimEnd();
}

/** A call and its outcome. Reports of long runs keep no request of a miss. */
export interface FindingEvent extends Omit<CallEvent, "miss" | "madeUp"> {
  readonly miss?: Omit<Miss, "request">;
  readonly madeUp?: Pick<MadeUp, "by"> & { readonly call?: Omit<Miss, "request"> };
}

/** Lists the problems of a call. A call that was replayed or recorded has none. */
export function findingsOfCall(event: FindingEvent, reader: "editor" | "terminal"): readonly Finding[] {
  const details = [
    missingDetails(event, reader),
    brokenDetails(event),
    madeUpDetails(event, reader),
    faultyDetails(event),
    failedDetails(event),
  ];
  const { key, label, provider, operation, test, at } = event;
  const subject = key ?? `${provider} ${operation} ${label}`;
  return details.flatMap((found) =>
    found === undefined
      ? []
      : {
          id: findingId(found.kind, subject, test),
          label: `"${label}"`,
          provider,
          ...pickDefined({ test, key: key ?? undefined, entry: event.entry ?? undefined }),
          at,
          count: 1,
          ...found,
        },
  );
}

type Details = Pick<Finding, "kind" | "brief" | "what" | "why" | "fix" | "repair">;

function missingDetails(event: FindingEvent, reader: "editor" | "terminal"): Details | undefined {
  if (event.miss === undefined) return undefined;
  return { kind: "missing", ...missWording(event.miss, event, reader), repair: "again" };
}

function missWording(
  miss: Omit<Miss, "request">,
  { mode, test }: FindingEvent,
  reader: "editor" | "terminal",
): Pick<Finding, "what" | "why" | "fix"> {
  const [what, why, fix] = missLines(
    miss,
    reader === "editor" ? editorReader(test) : { key: miss.key, mode },
  );
  return { what, why, fix };
}

function brokenDetails({ outcome, miss, reason, hint, ...event }: FindingEvent): Details | undefined {
  if (outcome !== "miss" || miss !== undefined) return undefined;
  return {
    kind: "broken",
    what: visibleLine(`The recording for this ${callName(event)} cannot be read.`),
    why: visibleLine(reason ?? ""),
    fix: visibleLine(hint ?? "Correct the file, or delete it and record the call again."),
    repair: "again",
  };
}

function madeUpDetails(event: FindingEvent, reader: "editor" | "terminal"): Details | undefined {
  const { madeUp } = event;
  if (madeUp === undefined) return undefined;
  const { call } = madeUp;
  return {
    kind: "made-up",
    brief: madeUp.by,
    what: visibleLine(`This ${callName(event)} was answered by ${madeUp.by}.`),
    why: madeUpReason(madeUp.by),
    fix: call === undefined ? "Record the test." : missWording(call, event, reader).fix,
    repair: "again",
  };
}

/** The reason of a call that got a made-up answer. */
export function madeUpReason(by: string): string {
  return `No recording matches; ${by} was given.`;
}

function faultyDetails({ fault, ...event }: FindingEvent): Details | undefined {
  if (fault === undefined) return undefined;
  return {
    kind: "faulty",
    brief: fault,
    what: visibleLine(`This ${callName(event)} failed on purpose.`),
    why: visibleLine(`A fault was planned for it: ${fault}.`),
    fix: "Run the test without the fault to replay the recording.",
    repair: "again",
  };
}

function failedDetails(event: FindingEvent): Details | undefined {
  const { outcome, reason, hint, lost, failsRun, provider } = event;
  const status = event.upstreamStatus ?? event.failedWith;
  const isFailed = outcome === "refused" || (outcome === "forwarded" && (status ?? 0) >= 400);
  if (lost !== undefined)
    return {
      kind: "failed",
      brief: "not written",
      what: visibleLine(`The answer to this ${callName(event)} was not recorded.`),
      why: visibleLine(lost),
      fix: "Make room on the disk or correct the rights of the cassette folder, then record again.",
      repair: "again",
    };
  if (!isFailed && failsRun !== true) return undefined;
  const [repair, advice] = isFailed ? adviceFor(status) : HOLDS_SECRET;
  return {
    kind: "failed",
    brief: isFailed ? causeOf(event) : "not recorded",
    what: visibleLine(
      `This ${callKind(event)} call ${isFailed ? "failed" : "was not recorded"} ("${event.label}").`,
    ),
    why: visibleLine(reason ?? `${provider} answered with status ${status}.`),
    fix: visibleLine(hint ?? (repair === "key" ? OTHER_KEY : advice)),
    repair,
  };
}

type CallNames = Pick<FindingEvent, "model" | "provider" | "operation" | "label">;

const callName = (call: CallNames): string => `${callKind(call)} call ("${call.label}")`;

const callKind = ({ model, provider, operation }: CallNames): string => model ?? `${provider} ${operation}`;

function causeOf({ upstreamStatus, failedWith }: FindingEvent): string {
  if (upstreamStatus !== undefined) return `status ${upstreamStatus}`;
  if (failedWith === CLIENT_LEFT) return "given up";
  return failedWith === 502 ? "not reached" : "refused";
}

const AGAIN: readonly [Repair, string] = ["again", "Record the test again."];
const HOLDS_SECRET: readonly [Repair, string] = [
  "again",
  'Take the secret out, or handle it in tapedeck.jsonc ("secrets", "allowSecrets").',
];
const OTHER_KEY = 'Give the right key with "Set Provider Key…", then record the test again.';

/** What to do about a status. The provider's own words are in the test's output. */
const ADVICE: readonly (readonly [RegExp, readonly [Repair, string]])[] = [
  [/^401$/u, ["key", "Set your own key where the tests run, and record again."]],
  [/^402$/u, ["limits", "The provider wants to be paid, or the run has spent what it may."]],
  [/^403$/u, ["key", "Your key has no right to this; use another one, and record again."]],
  [/^404$/u, ["address", "Check the model's name and the address."]],
  [/^429$/u, ["again", "That is the provider's limit for your key; wait a little, and record again."]],
  [/^502$/u, ["address", "That is the provider's fault, or the address is wrong; record again later."]],
  [/^5\d\d$/u, ["again", "That is the provider's fault; record again later."]],
];

function adviceFor(status: number | undefined): readonly [Repair, string] {
  return ADVICE.find(([statuses]) => statuses.test(String(status)))?.[1] ?? AGAIN;
}

/** Returns the fix for a status with which an upstream refused a call; "" if there is none. */
export function adviceOn(status: number | undefined): string {
  const found = adviceFor(status);
  return found === AGAIN ? "" : found[1];
}

/** A connection to a provider that Tapedeck neither answered nor kept. */
export interface BypassedCall {
  readonly host: string;
  /** Undefined, like the command, if the server refused the call because of its kind. */
  readonly pid?: number;
  readonly command?: string;
  readonly reason: string;
  /** The fix, if Tapedeck itself refused the call. */
  readonly mend?: string;
  readonly test?: TestRef;
  readonly times?: number;
}

export const BYPASS_FIX = "Let its client make HTTP calls, and read the provider's base-URL variable.";

export function bypassFinding(call: BypassedCall, at: number): Finding {
  const { host, reason, mend, test, times = 1 } = call;
  return {
    id: findingId("bypassed", `${host} ${reason}`, test),
    kind: "bypassed",
    label: host,
    what:
      mend === undefined ? `A call to ${host} passed Tapedeck by.` : `Tapedeck refused a call to ${host}.`,
    why: mend === undefined ? bypassText({ ...call, times: 1 }) : visibleLine(reason),
    fix: mend ?? BYPASS_FIX,
    repair: "client",
    ...pickDefined({ test }),
    at,
    count: times,
  };
}

/** A call that bypassed Tapedeck, in one line: its host, its process, and the reason. */
export function bypassText({ host, pid, command, reason, mend, times = 1 }: BypassedCall): string {
  const repeated = times > 1 ? ` (${times} times)` : "";
  if (mend !== undefined)
    return visibleLine(`A call to ${host || "Tapedeck"}${repeated} got no answer. ${reason} ${mend}`);
  return visibleLine(
    `A call to ${host}${repeated} passed Tapedeck by${pid === undefined ? "" : ` in process ${pid} (${command})`}: ${reason}`,
  );
}
