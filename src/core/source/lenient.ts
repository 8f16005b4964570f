import type { LenientAnswer } from "../config/config.ts";
import { defaultReply } from "./default.ts";
import { echo } from "./echo.ts";
import { scriptedReplies } from "./script.ts";
import type { AnswerSource } from "./source.ts";

/** What lenient mode answers with as it is wanted now. A script begins anew where it is another one. */
export function lenientReplies(wanted: () => LenientAnswer): AnswerSource {
  let known: { readonly answer: LenientAnswer; readonly source: AnswerSource } | undefined;
  return {
    name: "default",
    answer(exchange) {
      const answer = wanted();
      if (known?.answer !== answer) known = { answer, source: sourceOf(answer) };
      return known.source.answer(exchange);
    },
  };
}

function sourceOf(answer: LenientAnswer): AnswerSource {
  if ("script" in answer) return scriptedReplies(answer.script);
  return "reply" in answer ? defaultReply(answer.reply) : echo();
}
