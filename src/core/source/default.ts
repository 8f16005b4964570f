import { contentTypeOf } from "../wire/content-type.ts";
import { readBody } from "../match/canonical.ts";
import { settledAnswer, type AnswerSource } from "./source.ts";

/** Answers every call with the same text, in the shape that the call asked for. Nothing leaves the machine. */
export function defaultReply(text: string): AnswerSource {
  return {
    name: "default",
    async answer({ call, provider, protocol }) {
      const { method, path } = call;
      const body = readBody({ body: call.body, ...contentTypeOf(call.headers) });
      const composed = protocol.compose({ text }, { provider: provider.name, method, path, body });
      const reply = {
        status: 200,
        headers: [["content-type", composed.contentType]] as const,
        body: composed.body,
      };
      return settledAnswer(reply, {
        outcome: "defaulted",
        reason: "No recording matches; the default reply was given.",
      });
    },
  };
}
