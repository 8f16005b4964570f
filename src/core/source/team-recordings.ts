import type { Key } from "../call.ts";
import type { AnswerSource } from "./source.ts";

/** Downloads the recordings of a call that has none in the workspace. Never rejects. */
export type FetchMissing = (provider: string, key: Key) => Promise<void>;

/** Downloads recordings of a call that nothing answered, and replays them. */
export function teamRecordings(fetchMissing: FetchMissing, replay: AnswerSource): AnswerSource {
  return {
    name: "recordings",
    async answer(exchange) {
      await fetchMissing(exchange.provider.name, exchange.key);
      return replay.answer(exchange);
    },
  };
}
