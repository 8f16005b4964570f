import type { Run } from "../../core/call/call.ts";
import type { Clock } from "../../core/base/clock.ts";
import type { LenientAnswer } from "../../core/config/config.ts";
import type { PlannedFault } from "../../core/call/mocks.ts";
import { findFirstAnswer } from "../../core/answer/engine.ts";
import type { AnswerSource } from "../../core/answer/source/source.ts";
import { createRunMocks, type RunMocks } from "./run-mocks.ts";
import { createFaultTurns, createFaultyAnswer, type FaultTurns } from "./faults.ts";
import { createLenientReplies, createPerStretch } from "./lenient.ts";

/** The mock client core in a deck: answers of lenient mode, and simulated faults. */
export interface StandIn {
  readonly lenient: AnswerSource;
  /** Wraps sources with faults. */
  faulty(sources: readonly AnswerSource[]): AnswerSource;
  /** Returns the mocks that the tests of a run planned. */
  of(run: Run): RunMocks;
}

export interface StandInParts {
  /** Reply of lenient mode. The object is replaced only if it changes. */
  readonly lenient: () => LenientAnswer;
  /** Planned faults. The list is replaced only if it changes. */
  readonly faults: () => readonly PlannedFault[];
  readonly clock: Clock;
}

export function createStandIn({ lenient, faults, clock }: StandInParts): StandIn {
  const runs = new WeakMap<Run, RunMocks>();
  const configured = createLenientReplies(lenient);
  const turns = createPerStretch(createFaultTurns);
  const planned: FaultTurns = (exchange) => turns(exchange, faults())(exchange);
  return {
    lenient: {
      name: "default",
      answer: (exchange) => runs.get(exchange.call.run)?.answer(exchange) ?? configured.answer(exchange),
    },
    faulty: (sources) => ({
      name: "faults",
      async answer(exchange) {
        const mocks = runs.get(exchange.call.run);
        const due = [...(mocks?.faults(exchange) ?? []), ...planned(exchange)];
        return createFaultyAnswer(exchange, due, { inner: () => findFirstAnswer(sources, exchange), clock });
      },
    }),
    of(run) {
      const mocks = runs.get(run) ?? createRunMocks(run);
      runs.set(run, mocks);
      return mocks;
    },
  };
}
