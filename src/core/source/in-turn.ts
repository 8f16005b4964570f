import type { CassetteStore, Turn } from "../cassette/store.ts";
import type { AnswerSource, Exchange, Found } from "./source.ts";

interface Sources {
  readonly replay: AnswerSource;
  readonly making: AnswerSource;
}

/** Makes a call where no other machine does: else the other one's recording answers it. */
export function inTurn(store: CassetteStore, { replay, making }: Sources): AnswerSource {
  const turns = new Map<string, Promise<Turn>>();
  return {
    name: "upstream",
    async answer(exchange) {
      const { provider, key, call } = exchange;
      // A further take of a call that this run itself has made is nobody else's.
      if (store.takeTurn === undefined || call.run.firstRecorded.has(key)) return making.answer(exchange);
      // Identical calls at once have one turn among them.
      const name = `${call.run.id} ${provider.name} ${key}`;
      const shared = turns.get(name);
      if (shared !== undefined) return answered(await shared, exchange, { store, replay, making });
      const own = store.takeTurn(provider.name, key, call.signal);
      turns.set(name, own);
      const turn = await own;
      const over = (isRecorded: boolean): void => {
        turns.delete(name);
        if (turn !== "made" && !isRecorded) turn.giveBack();
      };
      try {
        const answer = await answered(turn, exchange, { store, replay, making });
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

async function answered(
  turn: Turn,
  exchange: Exchange,
  { store, replay, making }: Sources & { readonly store: CassetteStore },
): Promise<Found> {
  if (turn !== "made") return making.answer(exchange);
  await store.settle?.(exchange.provider.name, exchange.key);
  return (await replay.answer(exchange)) ?? making.answer(exchange);
}
