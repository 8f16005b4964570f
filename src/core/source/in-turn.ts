import type { CassetteStore } from "../cassette/store.ts";
import type { Key } from "../call.ts";
import type { AnswerSource, Exchange, Found } from "./source.ts";

/** What another machine has made, or a call that is ours to make: `giveBack` says that no recording came of it. */
export type Turn = "made" | { readonly giveBack: () => void };

/**
 * Asked before a call is made that nothing answers, where other machines make the same ones: whether it is ours to make.
 * Resolves when another one has made it, or when it is ours. Never rejects.
 */
export type TakeTurn = (provider: string, key: Key, signal: AbortSignal) => Promise<Turn>;

interface Sources {
  readonly store: CassetteStore;
  readonly replay: AnswerSource;
  readonly making: AnswerSource;
}

/** Makes a call where no other machine does: else the other one's recording answers it. */
export function inTurn(takeTurn: TakeTurn, sources: Sources): AnswerSource {
  const { making } = sources;
  const turns = new Map<string, Promise<Turn>>();
  return {
    name: "upstream",
    async answer(exchange) {
      const { provider, key, call } = exchange;
      // A further take of a call that this run itself has made is nobody else's.
      if (call.run.firstRecorded.has(key)) return making.answer(exchange);
      // Identical calls at once have one turn among them.
      const name = `${call.run.id} ${provider.name} ${key}`;
      const shared = turns.get(name);
      if (shared !== undefined) return answerTurn(await shared, exchange, sources);
      const own = takeTurn(provider.name, key, call.signal);
      turns.set(name, own);
      const turn = await own;
      const over = (isRecorded: boolean): void => {
        turns.delete(name);
        if (turn !== "made" && !isRecorded) turn.giveBack();
      };
      try {
        const answer = await answerTurn(turn, exchange, sources);
        void answer?.settled.then(
          ({ outcome }) => over(outcome === "recorded"),
          () => over(false),
        );
        return answer;
      } catch (error) {
        over(false);
        throw error;
      }
    },
  };
}

async function answerTurn(
  turn: Turn,
  exchange: Exchange,
  { store, replay, making }: Sources,
): Promise<Found> {
  if (turn !== "made") return making.answer(exchange);
  await store.settle(exchange.provider.name, exchange.key);
  return (await replay.answer(exchange)) ?? making.answer(exchange);
}
