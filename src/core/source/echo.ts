import { composedAnswer, protocolRequest } from "./composed.ts";
import type { AnswerSource, Exchange } from "./source.ts";

/** Answers with what the user said last, in the shape that the call asked for. Nothing leaves the machine. */
export function echo(): AnswerSource {
  return {
    name: "default",
    answer: async (exchange) =>
      composedAnswer(lastUserText(exchange), exchange, "No recording matches; the call was echoed."),
  };
}

/** The texts of the last message of the user that has any; the call in a few words where there is none. */
function lastUserText(exchange: Exchange): string {
  const { messages } = exchange.protocol.conversation(protocolRequest(exchange));
  for (const { role, parts } of messages.toReversed()) {
    const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    if (role === "user" && texts.length > 0) return texts.join("\n");
  }
  return exchange.facts.label;
}
