import type { CallEvent, TestRef } from "../../core/call/call.ts";
import { findingId, type Finding } from "../../core/view/finding.ts";
import { plural } from "../../core/base/plural.ts";
import type { PlannedFault } from "../../core/call/mocks.ts";
import { isNode } from "../calls/call-node-model.ts";

export interface OfferedFault {
  /** How it is named in commands. */
  readonly name: string;
  /** Behind "with": "a 429 first". */
  readonly text: string;
  readonly icon: string;
  /** What is seen of it, and what a client should do. */
  readonly detail: string;
  readonly faults: readonly PlannedFault[];
}

/** In the order of use. What fails or breaks does so once, so that trying again is tested; what is slow is so always. */
export const OFFERED_FAULTS: readonly OfferedFault[] = [
  {
    name: "rate-limit",
    text: "a 429 first",
    icon: "error",
    detail: "The first call is told to slow down; the next one is answered as recorded",
    faults: [{ status: 429, retryAfter: 0 }],
  },
  {
    name: "overload",
    text: "an overload first",
    icon: "error",
    detail: "The first call fails with 529, as where a provider is overloaded",
    faults: [{ status: 529 }],
  },
  {
    name: "cut",
    text: "a stream that ends after 10 events",
    icon: "debug-step-over",
    detail: "The first answer ends early without saying so; one that is not streamed in its middle",
    faults: [{ cutAfter: 10 }],
  },
  {
    name: "disconnect",
    text: "a connection that breaks after 3 events",
    icon: "debug-disconnect",
    detail: "The first answer breaks off; the next call is answered as recorded",
    faults: [{ disconnectAfter: 3 }],
  },
  {
    name: "slow-start",
    text: "a slow first token",
    icon: "watch",
    detail: "Every answer begins after 3 seconds",
    faults: [{ firstTokenMs: 3_000 }],
  },
  {
    name: "slow",
    text: "slow tokens",
    icon: "watch",
    detail: "Every stream brings 10 events a second",
    faults: [{ tokensPerSecond: 10 }],
  },
];

/** The fault that a command's arguments name: by its name, or as the row of a test that was run with it. */
export function faultOf(args: readonly unknown[]): OfferedFault | undefined {
  for (const given of args) {
    const finding = isNode(given) && given.subject.kind === "finding" ? given.subject.finding : undefined;
    const found = OFFERED_FAULTS.find(
      (one) => one.name === given || finding?.label.endsWith(`, with ${one.text}`) === true,
    );
    if (found) return found;
  }
  return undefined;
}

/** How a test, a suite, or a file ended that was run with a fault on purpose. */
export interface FaultRun extends Finding {
  readonly kind: "faulty";
  readonly test: TestRef;
}

interface EndedRun {
  readonly test: TestRef;
  /** As it is offered: "a 429 first". */
  readonly fault: string;
  readonly ended: "passed" | "failed" | "stopped";
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** How a run with a fault ended, by its calls. */
export function faultRunOf({ test, fault, ended, at }: EndedRun, events: readonly CallEvent[]): FaultRun {
  const { execution: _, ...named } = test;
  const facts = factsOf(events).join(", ");
  return {
    id: findingId("faulty", fault, named),
    kind: "faulty",
    // The outcome comes first: a title is as long as its row.
    label: `${ended}, with ${fault}`,
    brief: facts,
    what: `${named.name.at(-1) ?? named.file} with ${fault}: ${ended}.`,
    why: `${facts}.`,
    fix: "Replay it without the fault to see the recorded answers again.",
    repair: "again",
    test: named,
    at,
    count: 1,
  };
}

/** "with a 429 first: passed, 1 of 3 calls hit". */
export function faultRunText({ label, brief }: FaultRun): string {
  const [ended, ...fault] = label.split(", ");
  return `${fault.join(", ")}: ${ended}, ${brief}`;
}

function factsOf(events: readonly CallEvent[]): readonly string[] {
  const hit = events.filter((event) => event.fault !== undefined).length;
  const missing = events.filter(({ outcome }) => outcome === "miss").length;
  const none = events.length === 0 ? "no call arrived" : "no call hit";
  return [
    hit === 0 ? none : `${hit} of ${plural(events.length, "call")} hit`,
    ...(missing > 0 ? [`${missing} missing`] : []),
  ];
}
