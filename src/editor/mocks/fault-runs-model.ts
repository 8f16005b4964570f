import type { CallEvent, TestRef } from "../../core/call.ts";
import { plural } from "../../core/plural.ts";
import { testId } from "../session/usage-model.ts";

/** How a test, a suite or a file ended that was run with a fault on purpose. */
export interface FaultRun {
  /** The same for the same fault of the same test. */
  readonly id: string;
  readonly test: TestRef;
  /** As it is offered: "a 429 first". */
  readonly fault: string;
  readonly ended: "passed" | "failed" | "stopped";
  readonly calls: number;
  /** Calls that it hit. */
  readonly hit: number;
  /** Calls that are not recorded: none was made up for them. */
  readonly missing: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

export interface FaultRuns {
  /** Newest first. */
  readonly all: readonly FaultRun[];
  ended(run: FaultRun): void;
  dismissed(id: string): void;
}

/** So many are kept. */
const MOST = 50;

export function createFaultRuns(): FaultRuns {
  const kept = new Map<string, FaultRun>();
  return {
    get all() {
      return [...kept.values()].reverse();
    },
    ended(run) {
      kept.delete(run.id);
      kept.set(run.id, run);
      const [oldest] = kept.size > MOST ? kept.keys() : [];
      if (oldest !== undefined) kept.delete(oldest);
    },
    dismissed: (id) => void kept.delete(id),
  };
}

/** How a run with a fault ended, by its calls. */
export function faultRunOf(
  { test, fault, ended, at }: Pick<FaultRun, "test" | "fault" | "ended" | "at">,
  events: readonly CallEvent[],
): FaultRun {
  const { execution: _, ...named } = test;
  return {
    id: `fault ${fault} ${testId(test)}`,
    test: named,
    fault,
    ended,
    calls: events.length,
    hit: events.filter((event) => event.fault !== undefined).length,
    missing: events.filter(({ outcome }) => outcome === "miss").length,
    at,
  };
}

/** "with a 429 first: passed, 1 of 3 calls hit". */
export function faultRunText(run: FaultRun): string {
  return [`with ${run.fault}: ${run.ended}`, ...faultRunFacts(run)].join(", ");
}

/** What is to be known of it besides how it ended. */
export function faultRunFacts({ calls, hit, missing }: FaultRun): readonly string[] {
  const none = calls === 0 ? "no call arrived" : "no call hit";
  return [
    hit === 0 ? none : `${hit} of ${plural(calls, "call")} hit`,
    ...(missing > 0 ? [`${missing} missing`] : []),
  ];
}
