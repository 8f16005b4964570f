import { type Answer, canLeaveMachine, type Run } from "../../core/call/call.ts";
import type { ScriptedReply } from "../../core/call/mocks.ts";
import { readFaults } from "../../core/config/read-faults.ts";
import { readScript } from "../../core/config/read-script.ts";
import { createWrongUsage } from "../../core/base/errors.ts";
import type { Exchange } from "../../core/match/read-request.ts";
import { createMockAnswer } from "./answer.ts";
import { createTurns, type Turns } from "./call-match.ts";
import { createFaultTurns, type FaultTurns } from "./faults.ts";
import { createReplyMock } from "./lenient.ts";

export interface RunMocks {
  /** Returns the planned answer of a call; undefined if there is none. */
  answer(exchange: Exchange): Promise<Answer> | undefined;
  faults: FaultTurns;
  /** Handles a request to `/TOKEN/@mock/…` and returns the JSON answer. @throws TapedeckError for an invalid request */
  control(method: string, path: string, body: string): unknown;
}

export function createRunMocks(run: Run): RunMocks {
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
