import { type Answer, canLeaveMachine, type Run } from "../../core/call/call.ts";
import type { ScriptedReply } from "../../core/call/mocks.ts";
import { readFaults } from "../../core/config/read-faults.ts";
import { readScript } from "../../core/config/read-script.ts";
import { wrongUsage } from "../../core/base/errors.ts";
import type { Journal } from "../../core/answer/runs.ts";
import type { Exchange } from "../../core/match/read-request.ts";
import { answerOf } from "./answer.ts";
import { turnsOf, type Turns } from "./call-match.ts";
import { faultTurns, type FaultTurns } from "./faults.ts";
import { clientOf } from "./lenient.ts";

export interface RunMocks {
  /** The answer that was asked for; undefined where none is left for this call. */
  answer(exchange: Exchange): Promise<Answer> | undefined;
  faults: FaultTurns;
  /** A request to `/TOKEN/@mock/…` and what is answered: JSON. @throws TapedeckError for what is none */
  control(method: string, path: string, body: string): unknown;
}

export function createRunMocks(run: Run, journal: Omit<Journal, "note">): RunMocks {
  let replies: Turns<ScriptedReply>[] = [];
  let faults: FaultTurns[] = [];
  const reset = (): void => {
    replies = [];
    faults = [];
    journal.forget(run);
  };
  return {
    answer(exchange) {
      for (const turns of replies) {
        const turn = turns.next(exchange);
        if (turn !== undefined) return answerOf(clientOf(turn.entry), exchange, "what its test asked for");
      }
      return undefined;
    },
    faults: (exchange) => faults.flatMap((one) => one(exchange)),
    control(method, path, body) {
      const asked = `${method} ${path.split("?")[0]}`;
      if (asked === "GET /journal") return { calls: journal.of(run) };
      if (asked === "POST /reset") return reset();
      if (asked === "POST /reply") {
        if (run.mode !== "lenient") throw notLenient(run);
        return void replies.push(turnsOf(readScript(asList(body), "the request")));
      }
      if (asked === "POST /fault") {
        if (canLeaveMachine(run.mode)) throw notFaulty(run);
        return void faults.push(faultTurns(readFaults(asList(body), "the request")));
      }
      throw wrongUsage(
        `There is no ${method} ${path} among a run's mocks.`,
        "There is POST /reply, POST /fault, POST /reset and GET /journal; docs/mocks.md says what they take.",
      );
    },
  };
}

/** One entry stands for a list of one. */
function asList(body: string): string {
  return body.trimStart().startsWith("[") || body.trim() === "" ? body : `[${body}]`;
}

function notFaulty({ mode }: Run): Error {
  return wrongUsage(
    `A run in ${mode} mode fails no call on purpose.`,
    "Plan faults in strict or lenient mode, where a failure costs nothing.",
  );
}

function notLenient({ mode }: Run): Error {
  return wrongUsage(
    `A run in ${mode} mode makes no replies up.`,
    "Run it with --mode lenient, or plan a fault, which strict mode has too.",
  );
}
