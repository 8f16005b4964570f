import { tapedeckError, type TapedeckError } from "../errors.ts";
import type { ProtocolRequest } from "../protocol/protocol.ts";
import { composedAnswer, protocolRequest } from "./composed.ts";
import type { AnswerSource, Exchange } from "./source.ts";

/** One answer of a script, and which calls it is for: all that it does not say may be anything. */
export interface ScriptedReply {
  readonly reply: string;
  readonly provider?: string;
  readonly model?: string;
  /** Must stand in one of the request's texts. */
  readonly text?: string;
  /** How many calls it answers, or "always". Default 1. */
  readonly times?: number | "always";
}

/** Answers calls from a script: the first reply that fits and is not used up. A call for which none is left ends in an error. */
export function scriptedReplies(script: readonly ScriptedReply[]): AnswerSource {
  const used = script.map(() => 0);
  return {
    name: "script",
    async answer(exchange) {
      const request = protocolRequest(exchange);
      const place = script.findIndex(
        (entry, index) => isLeft(entry, used[index] ?? 0) && fits(entry, exchange, request),
      );
      const entry = script[place];
      if (entry === undefined) throw ranDry(exchange, script, used);
      used[place] = (used[place] ?? 0) + 1;
      const reason = `No recording matches; reply ${place + 1} of the script was given.`;
      return composedAnswer(entry.reply, exchange, reason);
    },
  };
}

function isLeft({ times = 1 }: ScriptedReply, used: number): boolean {
  return times === "always" || used < times;
}

function fits(
  { provider, model, text }: ScriptedReply,
  exchange: Exchange,
  request: ProtocolRequest,
): boolean {
  if (provider !== undefined && provider !== exchange.provider.name) return false;
  if (model !== undefined && model !== exchange.facts.model) return false;
  return text === undefined || textsOf(exchange, request).some((own) => own.includes(text));
}

function textsOf({ protocol }: Exchange, request: ProtocolRequest): readonly string[] {
  return protocol
    .conversation(request)
    .messages.flatMap(({ parts }) => parts.flatMap((part) => ("text" in part ? [part.text] : [])));
}

function ranDry(
  exchange: Exchange,
  script: readonly ScriptedReply[],
  used: readonly number[],
): TapedeckError {
  const { facts, provider, protocol } = exchange;
  const what = facts.model ?? `${provider.name} ${protocol.operation}`;
  const left = script.filter((entry, index) => isLeft(entry, used[index] ?? 0)).length;
  const why =
    left === 0
      ? `all ${script.length} of its replies are used`
      : `${left} of its ${script.length} replies are left, and none is for this call`;
  return tapedeckError(
    "tapedeck_miss",
    `The script has no reply for this ${what} call ("${facts.label}"): ${why}.`,
    {
      hint: "Add a reply to the script, or let one answer several calls with times.",
    },
  );
}
