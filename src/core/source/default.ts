import { composedAnswer } from "./composed.ts";
import type { AnswerSource } from "./source.ts";

/** Answers every call with the same text, in the shape that the call asked for. Nothing leaves the machine. */
export function defaultReply(text: string): AnswerSource {
  return {
    name: "default",
    answer: async (exchange) =>
      composedAnswer(text, exchange, "No recording matches; the default reply was given."),
  };
}
