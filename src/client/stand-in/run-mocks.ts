import type { Answer, Run } from "../../core/call.ts";
import type { ScriptedReply } from "../../core/config/mocks.ts";
import { readFaults } from "../../core/config/read-faults.ts";
import { readScript } from "../../core/config/read-script.ts";
import { wrongUsage } from "../../core/errors.ts";
import { protocolRequest } from "../../core/source/composed.ts";
import type { Exchange } from "../../core/source/source.ts";
import { plainJson } from "../../core/json/json-write.ts";
import { pickDefined } from "../../core/pick-defined.ts";
import { answerOf } from "./answer.ts";
import { turnsOf, type Turns } from "./call-match.ts";
import { faultTurns, type FaultTurns } from "./faults.ts";
import { clientOf } from "./lenient.ts";

/** One call as the journal has it; nothing of its headers. */
export interface JournalEntry {
  readonly provider: string;
  readonly operation: string;
  readonly model?: string;
  readonly label: string;
  readonly method: string;
  readonly path: string;
  /** The body where it is JSON. */
  readonly body?: unknown;
  readonly outcome: string;
  readonly entry?: string;
  readonly test?: string;
}

/** What a run's own tests ask for while it goes on. */
export interface RunMocks {
  /** The answer that was asked for; undefined where none is left for this call. */
  answer(exchange: Exchange): Promise<Answer> | undefined;
  faults: FaultTurns;
  note(exchange: Exchange, answer: Answer | undefined): void;
  /** A request to `/TOKEN/@mock/…` and what is answered: JSON. @throws TapedeckError for what is none */
  control(method: string, path: string, body: string): unknown;
}

/** A suite that never empties its journal keeps the last ones. */
const LONGEST_JOURNAL = 1_000;

export function createRunMocks(run: Run): RunMocks {
  let replies: Turns<ScriptedReply>[] = [];
  let faults: FaultTurns[] = [];
  let journal: JournalEntry[] = [];
  const reset = (): void => {
    replies = [];
    faults = [];
    journal = [];
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
    note(exchange, answer) {
      journal.push(journalEntry(exchange, answer));
      if (journal.length > LONGEST_JOURNAL) journal.shift();
    },
    control(method, path, body) {
      const asked = `${method} ${path.split("?", 1)[0]}`;
      if (asked === "GET /journal") return { calls: journal };
      if (asked === "POST /reset") return reset();
      if (asked === "POST /reply") {
        if (run.mode !== "lenient") throw notLenient(run);
        return void replies.push(turnsOf(readScript(asList(body), "the request")));
      }
      if (asked === "POST /fault") {
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

function notLenient({ mode }: Run): Error {
  return wrongUsage(
    `A run in ${mode} mode makes no replies up.`,
    "Run it with --mode lenient, or plan a fault, which strict mode has too.",
  );
}

function journalEntry(exchange: Exchange, answer: Answer | undefined): JournalEntry {
  const { call, provider, protocol, facts } = exchange;
  const { body } = protocolRequest(exchange);
  return {
    provider: provider.name,
    operation: protocol.operation,
    ...pickDefined({ model: facts.model }),
    label: facts.label,
    method: call.method,
    path: call.path,
    ...(body.kind === "json" && { body: plainJson(body.tree) }),
    outcome: answer?.outcome ?? "miss",
    ...pickDefined({ entry: answer?.entry }),
    ...(call.test !== undefined && { test: call.test.name.join(" ") }),
  };
}
