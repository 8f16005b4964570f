import type { Run } from "../../core/call/call.ts";
import type { Clock } from "../../core/base/clock.ts";
import type { LenientAnswer } from "../../core/config/config.ts";
import type { ContextLimits, PlannedFault } from "../../core/call/mocks.ts";
import type { Journal } from "../../core/answer/runs.ts";
import { firstAnswer } from "../../core/answer/engine.ts";
import type { AnswerSource } from "../../core/answer/source/source.ts";
import { contextLimited } from "./context-limits.ts";
import { createRunMocks, type RunMocks } from "./run-mocks.ts";
import { faultTurns, faultyAnswer, type FaultTurns } from "./faults.ts";
import { lenientReplies, perStretch, rehearse } from "./lenient.ts";

/** What the mock client core does in a deck: it answers in lenient mode, and breaks answers on purpose. */
export interface StandIn {
  readonly lenient: AnswerSource;
  /** Sources behind what goes wrong on purpose. */
  faulty(sources: readonly AnswerSource[]): AnswerSource;
  /** What a run is told to do by its own tests. */
  of(run: Run): RunMocks;
  readonly rehearse: typeof rehearse;
}

export interface StandInParts {
  /** What lenient mode answers; the same object for as long as it is the same. */
  readonly lenient: () => LenientAnswer;
  /** What goes wrong; the same list for as long as it is the same. */
  readonly faults: () => readonly PlannedFault[];
  /** How much of a context calls may take; the same object for as long as it is the same. */
  readonly context: () => ContextLimits | undefined;
  readonly journal: Omit<Journal, "note">;
  readonly clock: Clock;
}

export function createStandIn({ lenient, faults, context, journal, clock }: StandInParts): StandIn {
  const runs = new WeakMap<Run, RunMocks>();
  const configured = lenientReplies(lenient);
  const limited = perStretch(contextLimited);
  const turns = perStretch(faultTurns);
  const planned: FaultTurns = (exchange) => {
    const plan = exchange.call.run.faults ?? faults();
    return turns(exchange, plan)(exchange);
  };
  return {
    lenient: {
      name: "default",
      answer: (exchange) => runs.get(exchange.call.run)?.answer(exchange) ?? configured.answer(exchange),
    },
    faulty: (sources) => ({
      name: "faults",
      async answer(exchange) {
        const own = runs.get(exchange.call.run);
        const due = [...(own?.faults(exchange) ?? []), ...planned(exchange)];
        const inner = (): ReturnType<typeof firstAnswer> => firstAnswer(sources, exchange);
        const faulty = (): ReturnType<typeof firstAnswer> => faultyAnswer(exchange, due, { inner, clock });
        const limits = context();
        return await (limits === undefined ? faulty() : limited(exchange, limits)(exchange, faulty));
      },
    }),
    rehearse,
    of(run) {
      const mocks = runs.get(run) ?? createRunMocks(run, journal);
      runs.set(run, mocks);
      return mocks;
    },
  };
}
