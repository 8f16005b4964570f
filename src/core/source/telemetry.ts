import { settledAnswer, type AnswerSource, type Exchange } from "./source.ts";

/**
 * Where programs hand in what they did, by provider: OpenAI's agents send their traces. It asks for nothing, nobody reads
 * the answer, and no two are alike: ids and times are new each time.
 */
const UPLOADS: Readonly<Record<string, string>> = { openai: "/v1/traces/ingest" };

function isUpload({ provider, call }: Exchange): boolean {
  return call.method === "POST" && UPLOADS[provider.name] === call.path;
}

const REASON = "an upload of traces is no call to a model: it was taken here and sent nowhere";

/** Takes uploads in where nothing may leave the machine. */
export const telemetryTaken: AnswerSource = {
  name: "telemetry",
  async answer(exchange) {
    if (!isUpload(exchange)) return undefined;
    const reply = { status: 204, headers: [], body: new Uint8Array() };
    return settledAnswer(reply, { outcome: "defaulted", reason: REASON });
  },
};

/** Sends uploads on by a source that keeps nothing. */
export function telemetryPassed(passing: AnswerSource): AnswerSource {
  return {
    name: "telemetry",
    answer: async (exchange) => (isUpload(exchange) ? passing.answer(exchange) : undefined),
  };
}
