import type { StandIn } from "../client/stand-in/stand-in.ts";
import type { Run } from "../core/call/call.ts";
import type { EngineParts } from "../core/answer/engine.ts";
import type { AnswerSource } from "../core/answer/source/source.ts";
import type { MockRequest } from "../server/mock-requests.ts";
import { clock } from "./clock.ts";
import type { DeckProject } from "./project.ts";

/** The mock client core of a deck. It is loaded with the first call that it answers or breaks. */
export interface DeckMocks {
  /** The sources that it adds to an engine. */
  readonly sources: Pick<EngineParts, "lenient"> & Required<Pick<EngineParts, "faulty">>;
  /** Does what a run's own tests ask for over HTTP, and gives the JSON that is answered. @throws TapedeckError */
  control(run: Run, request: MockRequest): Promise<unknown>;
}

export function createMocks(project: DeckProject): DeckMocks {
  let standIn: Promise<StandIn> | undefined;
  const load = (): Promise<StandIn> =>
    (standIn ??= import("../client/stand-in/stand-in.ts").then(({ createStandIn }) =>
      createStandIn({
        lenient: () => project.lenient,
        faults: () => project.faults,
        clock,
      }),
    ));
  const faultySource = (sources: readonly AnswerSource[]): AnswerSource => {
    let faulty: AnswerSource | undefined;
    return {
      name: "faults",
      async answer(exchange) {
        faulty ??= (await load()).faulty(sources);
        return faulty.answer(exchange);
      },
    };
  };
  return {
    sources: {
      lenient: { name: "default", answer: async (exchange) => (await load()).lenient.answer(exchange) },
      faulty: faultySource,
    },
    async control(run, { method, path, body }) {
      run.isAsking = true;
      return (await load()).of(run).control(method, path, body);
    },
  };
}
