import { joinSentences, localize } from "../base/localize.ts";
import type { CallEvent, Key, MadeUp, Miss, TestRef } from "../call/call.ts";
import { CLIENT_LEFT, NO_ADDRESS } from "../base/errors.ts";
import { createEditorReader, formatMissLines } from "./miss.ts";
import { pickDefined } from "../base/pick-defined.ts";
import { getTestId } from "../call/test-names.ts";
import { makeVisibleLine } from "../base/visible.ts";

/** Problems of a call, in order of importance. */
export type FindingKind =
  /** No source of its mode answered it. */
  | "missing"
  /** A mock answered it, and it was not recorded. */
  | "made-up"
  /** It was refused, its provider failed, or its answer could not be kept. */
  | "failed"
  /** It did not go through Tapedeck. */
  | "bypassed"
  /** No call of a test reached Tapedeck. */
  | "unreached"
  /** Its recording cannot be read. */
  | "broken"
  /** The code no longer makes the recorded call. */
  | "stale"
  /** A fault was injected. */
  | "faulty";

/** Ways to fix a finding: the API key, the URL, the limits of a run, recording again, or another client. */
export type Repair = "key" | "address" | "limits" | "again" | "client";

/** A problem of a call, worded the same in all outputs. Contains only JSON values. */
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
export function describeFinding({ what, why, fix }: Pick<Finding, "what" | "why" | "fix">): string {
  return [what, why, fix].join("\n");
}

/** Adds a finding as the newest of them. One with the same id counts up. */
export function addFinding<F extends Finding>(findings: Map<string, F>, finding: F): void {
  const count = (findings.get(finding.id)?.count ?? 0) + finding.count;
  findings.delete(finding.id);
  findings.set(finding.id, { ...finding, count });
}

export function createFindingId(kind: FindingKind, subject: string, test: TestRef | undefined): string {
  return [kind, subject, getTestId(test)].join(" ").trimEnd();
}

/** The parts of a miss that a finding needs. */
export type MissOfFinding = Omit<Miss, "request"> & { readonly request?: Pick<Miss["request"], "values"> };

/** A call and its outcome. Reports of long runs keep only the values of a missed request. */
export interface FindingEvent extends Omit<CallEvent, "miss" | "madeUp"> {
  readonly miss?: MissOfFinding;
  readonly madeUp?: Pick<MadeUp, "by"> & { readonly call?: MissOfFinding };
}

/** Lists the problems of a call. A call that was replayed or recorded has none. */
export function createFindingsOfCall(event: FindingEvent, reader: "editor" | "terminal"): readonly Finding[] {
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
          id: createFindingId(found.kind, subject, test),
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
  miss: MissOfFinding,
  { mode, test }: FindingEvent,
  reader: "editor" | "terminal",
): Pick<Finding, "what" | "why" | "fix"> {
  const [what, why, fix] = formatMissLines(
    miss,
    reader === "editor" ? createEditorReader(test) : { key: miss.key, mode },
  );
  return { what, why, fix };
}

function brokenDetails({ outcome, miss, reason, hint, ...event }: FindingEvent): Details | undefined {
  if (outcome !== "miss" || miss !== undefined) return undefined;
  return {
    kind: "broken",
    what: makeVisibleLine(localize("The recording for this {0} cannot be read.", callName(event))),
    why: makeVisibleLine(reason ?? ""),
    fix: makeVisibleLine(hint ?? localize("Correct the file, or delete it and record the call again.")),
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
    what: makeVisibleLine(localize("This {0} was answered by {1}.", callName(event), madeUp.by)),
    why: describeMadeUpReason(madeUp.by),
    fix: call === undefined ? localize("Record the test.") : missWording(call, event, reader).fix,
    repair: "again",
  };
}

/** Returns the reason why a mock answered a call. */
export function describeMadeUpReason(by: string): string {
  return localize("No recording matches, so {0} answered.", by);
}

function faultyDetails({ fault, ...event }: FindingEvent): Details | undefined {
  if (fault === undefined) return undefined;
  return {
    kind: "faulty",
    brief: fault,
    what: makeVisibleLine(localize("This {0} failed on purpose.", callName(event))),
    why: makeVisibleLine(localize("A fault is configured for it: {0}.", fault)),
    fix: localize("Run the test without the fault to replay the recording."),
    repair: "again",
  };
}

function failedDetails(event: FindingEvent): Details | undefined {
  const { outcome, reason, hint, lost, failsRun, provider } = event;
  const status = event.upstreamStatus ?? event.failedWith?.status;
  const isFailed = outcome === "refused" || (outcome === "forwarded" && (status ?? 0) >= 400);
  if (lost !== undefined)
    return {
      kind: "failed",
      brief: localize("not written"),
      what: makeVisibleLine(localize("The response to this {0} was not recorded.", callName(event))),
      why: makeVisibleLine(lost),
      fix: localize("Free disk space or correct the permissions of the cassette folder, then record again."),
      repair: "again",
    };
  if (!isFailed && failsRun !== true) return undefined;
  const [repair, advice] = isFailed ? (adviceFor(status) ?? recordAgain()) : removeSecret();
  return {
    kind: "failed",
    brief: isFailed ? causeOf(event) : localize("not recorded"),
    what: makeVisibleLine(
      isFailed
        ? localize("This {0} failed.", callName(event))
        : localize("This {0} was not recorded.", callName(event)),
    ),
    why: makeVisibleLine(reason ?? localize("{0} answered with status {1}.", provider, status ?? 0)),
    fix: makeVisibleLine(hint ?? (repair === "key" ? enterKey() : advice)),
    repair,
  };
}

type CallNames = Pick<FindingEvent, "model" | "provider" | "operation" | "label">;

const callName = (call: CallNames): string => localize('{0} call ("{1}")', callKind(call), call.label);

const callKind = ({ model, provider, operation }: CallNames): string => model ?? `${provider} ${operation}`;

function causeOf({ upstreamStatus, failedWith }: FindingEvent): string {
  if (upstreamStatus !== undefined) return localize("status {0}", upstreamStatus);
  if (failedWith?.status === CLIENT_LEFT) return localize("timed out");
  if (failedWith?.code === "tapedeck_upstream") return localize("unreachable");
  return failedWith?.status === NO_ADDRESS ? localize("no address") : localize("refused");
}

type Advice = readonly [Repair, string];

const recordAgain = (): Advice => ["again", localize("Record the test again.")];
const removeSecret = (): Advice => [
  "again",
  localize('Remove the secret, or configure "secrets" or "allowSecrets" in tapedeck.jsonc.'),
];
const enterKey = (): string =>
  localize('Enter the right key with "Set Provider Key…", then record the test again.');

const recordErrors = (): string =>
  localize(
    'If a test expects this error, set "record": { "errors": true } in tapedeck.jsonc and record again.',
  );

/** What to do about a status, or a kind of it. The provider's own message is in the output of the test. */
const adviceByStatus = (): Readonly<Record<string, Advice>> => ({
  401: ["key", localize("Set your own key in the environment of the tests, and record again.")],
  402: ["limits", localize("Check your balance with the provider, and the limits of the run.")],
  403: ["key", localize("Your key does not have permission for this. Use another key, and record again.")],
  404: ["address", joinSentences(localize("Check the name of the model and the address."), recordErrors())],
  429: [
    "again",
    localize("The provider's rate limit for your key is reached. Wait a little, and record again."),
  ],
  502: [
    "address",
    localize(
      "The provider has a problem, or the address is wrong. Check the address, or record again later.",
    ),
  ],
  "4xx": ["again", recordErrors()],
  "5xx": ["again", localize("The provider has a problem. Record again later.")],
});

function adviceFor(status = 0): Advice | undefined {
  const advice = adviceByStatus();
  return advice[status] ?? advice[`${Math.floor(status / 100)}xx`];
}

/** Returns the fix for a status with which an upstream refused a call; "" if there is none. */
export function getAdvice(status: number | undefined): string {
  return adviceFor(status)?.[1] ?? "";
}

/** A connection to a provider that bypassed Tapedeck. */
export interface BypassedCall {
  readonly host: string;
  /** Undefined, like the command, if the server refused the call because of its kind. */
  readonly pid?: number;
  readonly command?: string;
  readonly reason: string;
  /** The fix, if Tapedeck itself refused the call. */
  readonly fix?: string;
  readonly test?: TestRef;
  readonly times?: number;
}

export const bypassFix = (): string =>
  localize("Make the client send HTTP calls to the provider's base-URL variable.");

export function bypassFinding(call: BypassedCall, at: number): Finding {
  const { host, reason, fix, test, times = 1 } = call;
  return {
    id: createFindingId("bypassed", `${host} ${reason}`, test),
    kind: "bypassed",
    label: host,
    what:
      fix === undefined
        ? localize("A call to {0} bypassed Tapedeck.", host)
        : localize("Tapedeck refused a call to {0}.", host),
    why: fix === undefined ? bypassText({ ...call, times: 1 }) : makeVisibleLine(reason),
    fix: fix ?? bypassFix(),
    repair: "client",
    ...pickDefined({ test }),
    at,
    count: times,
  };
}

/** A call that bypassed Tapedeck, in one line: its host, its process, and the reason. */
export function bypassText({ host, pid, command, reason, fix, times = 1 }: BypassedCall): string {
  const repeated = times > 1 ? localize(" ({0} times)", times) : "";
  const callee = `${host || "Tapedeck"}${repeated}`;
  if (fix !== undefined)
    return makeVisibleLine(joinSentences(localize("A call to {0} got no response.", callee), reason, fix));
  return makeVisibleLine(
    pid === undefined
      ? localize("A call to {0} bypassed Tapedeck: {1}", callee, reason)
      : localize(
          "A call to {0} bypassed Tapedeck in process {1} ({2}): {3}",
          callee,
          pid,
          command ?? "",
          reason,
        ),
  );
}
