import type { StandIn } from "../client/stand-in/stand-in.ts";
import type { Run } from "../core/call/call.ts";
import type { EngineParts } from "../core/answer/engine.ts";
import type { AnswerSource } from "../core/answer/source/source.ts";
import type { MockRequest } from "../server/mock-requests.ts";
import { clock } from "./clock.ts";
import type { DeckProject } from "./project.ts";

export type DeckMocks = ReturnType<typeof createMocks>;

/** Makes the mock client core of a deck. It is loaded with the first call that it answers or breaks. */
export function createMocks(project: DeckProject) {
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
    /** The sources that it adds to an engine. */
    sources: {
      lenient: { name: "default", answer: async (exchange) => (await load()).lenient.answer(exchange) },
      faulty: faultySource,
    } satisfies Partial<EngineParts>,
    /** Does what a run's own tests ask for over HTTP, and gives the JSON that is answered. @throws TapedeckError */
    async control(run: Run, { method, path, body }: MockRequest): Promise<unknown> {
      run.isAsking = true;
      return (await load()).of(run).control(method, path, body);
    },
  };
}
