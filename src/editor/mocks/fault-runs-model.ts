import type { CallEvent, TestRef } from "../../core/call/call.ts";
import { findingId, type Finding } from "../../core/view/finding.ts";
import { plural } from "../../core/base/plural.ts";

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
