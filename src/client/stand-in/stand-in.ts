import { type Run, type Answer, canLeaveMachine } from "../../core/call/call.ts";
import type { Clock } from "../../core/base/clock.ts";
import type { LenientAnswer } from "../../core/config/config.ts";
import type { PlannedFault, ScriptedReply } from "../../core/call/mocks.ts";
import { findFirstAnswer } from "../../core/answer/engine.ts";
import type { AnswerSource } from "../../core/answer/source/source.ts";
import { createFaultTurns, createFaultyAnswer, type FaultTurns } from "./faults.ts";
import { createLenientReplies, createPerStretch, createReplyMock } from "./lenient.ts";
import { readFaults } from "../../core/config/read-faults.ts";
import { readScript } from "../../core/config/read-script.ts";
import { createWrongUsage } from "../../core/base/errors.ts";
import type { Exchange } from "../../core/match/read-request.ts";
import { createMockAnswer } from "./answer.ts";
import { createTurns, type Turns } from "./call-match.ts";

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

interface RunMocks {
  /** Returns the planned answer of a call; undefined if there is none. */
  answer(exchange: Exchange): Promise<Answer> | undefined;
  faults: FaultTurns;
  /** Handles a request to `/TOKEN/@mock/…` and returns the JSON answer. @throws TapedeckError for an invalid request */
  control(method: string, path: string, body: string): unknown;
}

function createRunMocks(run: Run): RunMocks {
  let replies: Turns<ScriptedReply>[] = [];
  let faults: FaultTurns[] = [];
  const reset = (): void => {
    replies = [];
    faults = [];
  };
  return {
    answer(exchange) {
      for (const turns of replies) {
        const turn = turns.next(exchange);
        if (turn !== undefined)
          return createMockAnswer(createReplyMock(turn.entry), exchange, "the reply that its test planned");
      }
      return undefined;
    },
    faults: (exchange) => faults.flatMap((one) => one(exchange)),
    control(method, path, body) {
      const route = `${method} ${path.split("?")[0]}`;
      if (route === "POST /reset") return reset();
      if (route === "POST /reply") {
        if (run.mode !== "lenient") throw notLenient(run);
        return void replies.push(createTurns(readScript(asList(body), "the request")));
      }
      if (route === "POST /fault") {
        if (canLeaveMachine(run.mode)) throw notFaulty(run);
        return void faults.push(createFaultTurns(readFaults(asList(body), "the request")));
      }
      throw createWrongUsage(
        `There is no ${method} ${path} among a run's mocks.`,
        "Use POST /reply, POST /fault, or POST /reset; see docs/mocks.md.",
      );
    },
  };
}

/** Wraps a single entry in a list. */
function asList(body: string): string {
  return body.trimStart().startsWith("[") || body.trim() === "" ? body : `[${body}]`;
}

function notFaulty({ mode }: Run): Error {
  return createWrongUsage(
    `A run in ${mode} mode does not simulate faults.`,
    "Plan faults in strict or lenient mode, which send no calls.",
  );
}

function notLenient({ mode }: Run): Error {
  return createWrongUsage(
    `A run in ${mode} mode does not make up replies.`,
    "Run it with --mode lenient, or plan a fault, which strict mode also simulates.",
  );
}
