import { joinList, localize } from "../../core/base/localize.ts";
import type { CallEvent, TestRef } from "../../core/call/call.ts";
import { findingId, type Finding } from "../../core/view/finding.ts";
import { countText, localizeCount } from "../../core/base/plural.ts";
import type { PlannedFault } from "../../core/call/mocks.ts";
import type { FaultOutcome } from "../findings/findings-model.ts";
import { isNode } from "../calls/call-node-model.ts";

export interface OfferedFault {
  /** The name in arguments of commands. */
  readonly name: string;
  /** A phrase that follows "with": "a 429 first". */
  readonly text: string;
  readonly icon: string;
  /** The effect of the fault. */
  readonly detail: string;
  readonly faults: readonly PlannedFault[];
}

/** In the order of use. Failures occur once, so that retries are tested; slowness applies to every call. */
export const OFFERED_FAULTS: readonly OfferedFault[] = [
  {
    name: "rate-limit",
    text: localize("a 429 first"),
    icon: "error",
    detail: localize("The first call gets status 429. The next one gets its recording"),
    faults: [{ status: 429, retryAfter: 0 }],
  },
  {
    name: "overload",
    text: localize("an overload first"),
    icon: "error",
    detail: localize("The first call fails with status 529, like that of an overloaded provider"),
    faults: [{ status: 529 }],
  },
  {
    name: "cut",
    text: localize("a stream that ends after 10 events"),
    icon: "debug-step-over",
    detail: localize(
      "The first response ends early without an error. If it is not a stream, it ends in the middle",
    ),
    faults: [{ cutAfter: 10 }],
  },
  {
    name: "disconnect",
    text: localize("a connection that breaks after 3 events"),
    icon: "debug-disconnect",
    detail: localize("The connection of the first response breaks. The next call gets its recording"),
    faults: [{ disconnectAfter: 3 }],
  },
  {
    name: "slow-start",
    text: localize("a slow first token"),
    icon: "watch",
    detail: localize("Every response starts after 3 seconds"),
    faults: [{ firstTokenMs: 3_000 }],
  },
  {
    name: "slow",
    text: localize("slow tokens"),
    icon: "watch",
    detail: localize("Every stream sends 10 events per second"),
    faults: [{ tokensPerSecond: 10 }],
  },
];

/** Returns the fault of a command's arguments: its name, or the row of a test that was run with it. */
export function faultOf(args: readonly unknown[]): OfferedFault | undefined {
  for (const given of args) {
    const finding = isNode(given) && given.subject.kind === "finding" ? given.subject.finding : undefined;
    const run = finding && "faultRun" in finding ? finding.faultRun : undefined;
    const found = OFFERED_FAULTS.find(({ name }) => name === given || name === run?.fault.name);
    if (found) return found;
  }
  return undefined;
}

/** The result of a test, a suite, or a file that was run with a fault. */
export interface FaultRun extends Finding {
  readonly kind: "faulty";
  readonly test: TestRef;
  readonly faultRun: FaultOutcome;
}

interface EndedRun extends FaultOutcome {
  readonly test: TestRef;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

const ENDS: Readonly<Record<FaultOutcome["ended"], string>> = {
  passed: localize("passed"),
  failed: localize("failed"),
  stopped: localize("stopped"),
};

/** Creates the finding of a run with a fault from its calls. */
export function faultRunOf({ test, fault, ended, at }: EndedRun, events: readonly CallEvent[]): FaultRun {
  const { execution: _, ...named } = test;
  const facts = joinList(factsOf(events));
  return {
    id: findingId("faulty", fault.name, named),
    kind: "faulty",
    // The outcome is first, because a narrow view cuts the end of the row.
    label: localize("{0}, with {1}", ENDS[ended], fault.text),
    brief: facts,
    what: localize("{0} with {1}: {2}.", named.name.at(-1) ?? named.file, fault.text, ENDS[ended]),
    why: localize("{0}.", facts),
    fix: localize("Replay it without the fault to get the recorded responses again."),
    repair: "again",
    test: named,
    at,
    count: 1,
    faultRun: { fault, ended },
  };
}

/** Returns "Replayed with a 429 first: passed, 1 of 3 calls hit. Nothing was recorded." */
export function faultRunText({ faultRun: { fault, ended }, brief }: FaultRun): string {
  const result = joinList([ENDS[ended], brief ?? ""]);
  return localize("Replayed with {0}: {1}. Nothing was recorded.", fault.text, result);
}

function factsOf(events: readonly CallEvent[]): readonly string[] {
  const hit = events.filter((event) => event.fault !== undefined).length;
  const missing = events.filter(({ outcome }) => outcome === "miss").length;
  const none = events.length === 0 ? localize("no call arrived") : localize("no call hit");
  return [
    hit === 0 ? none : localizeCount(events.length, "{1} of {0} call hit", "{1} of {0} calls hit", hit),
    ...(missing > 0 ? [localize("{0} missing", countText(missing))] : []),
  ];
}
